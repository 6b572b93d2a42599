package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.loop.CoreGuards;
import io.millrace.net.Loop;
import io.millrace.net.Refused;
import io.millrace.testing.Machine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A timer keeps what it is for; what is over must not be kept.
@Tag("slow")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForgottenTimersTest {
    @ParameterizedTest
    @EnumSource
    void an_attempt_that_was_refused_leaves_no_timer(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var to = Connect.to("127.0.0.1", Machine.closedPort()).loops(loops).timeout(Duration.ofHours(1));
            assertThrows(Refused.class, () -> Tcp.connect(to));
            Eventually.turns(loops, 2);
            assertEquals(0, loops.counters().getFirst().timers());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_whose_peer_ended_while_it_lingered_leaves_no_timer(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), conn -> in -> {
                    conn.output().move(in);
                    conn.close();
                });
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            peer.assertEnd();
            peer.end();
            until(() -> server.connections() == 0);
            assertEquals(0, loops.counters().getFirst().timers());
        }
    }

    /// It is in the wheel only after the loop's next turn, which is too late for the one who cancels.
    @ParameterizedTest
    @EnumSource
    void a_timer_that_is_cancelled_before_the_loop_knows_it_is_forgotten(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var made = new CompletableFuture<Loop.Timer>();
            loop.execute(() -> made.join().cancel());
            made.complete(loop.after(Duration.ofHours(1), () -> {}));
            Eventually.turns(loops, 2);
            assertEquals(0, loops.counters().getFirst().timers());
        }
    }

    /// As docs/limits.md says.
    @ParameterizedTest
    @EnumSource
    void a_connection_that_has_lingered_enough_is_counted(Loops kind) throws Exception {
        long before = CoreGuards.LINGER.count();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), conn -> in -> {
                    conn.output().writeUtf8("bye");
                    conn.close();
                });
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("bye");
            until(() -> server.connections() == 0);
            assertEquals(before + 1, CoreGuards.LINGER.count());
        }
    }
}
