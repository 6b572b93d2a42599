package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which loop gets a connection.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlacementTest {
    private static final int PEERS = 8;

    /// A loop that does not turn has not counted what it was given.
    @ParameterizedTest
    @EnumSource
    void a_busy_loop_is_not_given_every_new_connection(Loops kind) throws Exception {
        var opened = new AtomicInteger();
        var goOn = new CountDownLatch(1);
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), conn -> {
                    opened.incrementAndGet();
                    return in -> conn.output().move(in);
                })) {
            stall(loops, goOn);
            var peers = new ArrayList<RawPeer>();
            try {
                for (int i = 0; i < PEERS; i++) peers.add(RawPeer.of(server));
                until(() -> opened.get() == PEERS / 2);
            } finally {
                goOn.countDown();
            }
            until(() -> opened.get() == PEERS);
            assertEquals(List.of(PEERS / 2L, PEERS / 2L), connections(loops));
            peers.forEach(RawPeer::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void many_attempts_to_connect_at_once_are_spread(Loops kind) throws Exception {
        try (var accepting = kind.start(1);
                var server =
                        Tcp.listen(local(accepting), conn -> in -> conn.output().move(in));
                var loops = kind.start(2)) {
            var goOn = new CountDownLatch(1);
            for (var loop : loops.group().loops()) loop.execute(() -> Uninterrupted.await(goOn));
            var attempts = new ArrayList<CompletableFuture<?>>();
            try {
                for (int i = 0; i < PEERS; i++) {
                    attempts.add(Tcp.connect(server.address(), loops, _ -> in -> in.skip(in.remaining()))
                            .toCompletableFuture());
                }
            } finally {
                goOn.countDown();
            }
            for (var attempt : attempts) attempt.get();
            assertEquals(List.of(PEERS / 2L, PEERS / 2L), connections(loops));
        }
    }

    /// The loop that does not listen.
    private static void stall(EventLoops loops, CountDownLatch until) throws InterruptedException {
        var began = new CountDownLatch(1);
        loops.group().loops().getLast().execute(() -> {
            began.countDown();
            Uninterrupted.await(until);
        });
        began.await();
    }

    private static List<Long> connections(EventLoops loops) {
        return loops.counters().stream().map(counters -> counters.connections()).toList();
    }
}
