package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Peers of every kind at once: those that echo, end first, reset, read slowly, or only come and go. With
/// `-Dmillrace.abuse=full` for ten minutes.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MixedLoadTest {
    private static final boolean IS_FULL = "full".equals(System.getProperty("millrace.abuse"));
    private static final long DURATION_NANOS = TimeUnit.MINUTES.toNanos(10);

    /// By then the JVM has compiled what it will, and has used all of its heap.
    private static final long WARM_UP_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final int WORKERS = 8;
    private static final int ACTS = 40;
    private static final int LONGEST = 300_000;
    private static final long MOST_GROWTH_BYTES = 48 << 20;
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void peers_of_every_kind_at_once_leave_nothing(Loops kind) throws Exception {
        Proc.assumeIsThere();
        kind.assumeWorks();
        try (var threads = Executors.newCachedThreadPool()) {
            // A JVM opens files of its own meanwhile.
            try (var loops = kind.start(2);
                    var server = Tcp.listen(local(loops), ECHO)) {
                act(server, threads, 4);
            }
            long descriptors = Proc.descriptors();
            try (var loops = kind.start(2);
                    var server = Tcp.listen(local(loops), ECHO)) {
                actFor(WARM_UP_NANOS, server, threads);
                long resident = Proc.residentBytes(ProcessHandle.current());
                actFor(DURATION_NANOS, server, threads);
                until(() -> server.connections() == 0);
                for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse());
                assertFlat(kind, Proc.residentBytes(ProcessHandle.current()) - resident);
            }
            until(() -> Proc.descriptors() <= descriptors);
        }
    }

    /// Only a long run tells: in a short one the JVM is still warming up, and its heap grows. The heap is limited where
    /// the tests are started.
    private static void assertFlat(Loops kind, long growthBytes) {
        if (!IS_FULL) return;
        System.out.println(kind + ": grew by " + (growthBytes >> 10) + " KiB in ten minutes");
        assertTrue(growthBytes < MOST_GROWTH_BYTES, () -> growthBytes + " bytes more than at the beginning");
    }

    private static void actFor(long nanos, Server server, Executor threads) {
        long startNanos = System.nanoTime();
        do act(server, threads, ACTS);
        while (IS_FULL && System.nanoTime() - startNanos < nanos);
    }

    private static void act(Server server, Executor threads, int acts) {
        var workers = IntStream.range(0, WORKERS)
                .mapToObj(seed -> CompletableFuture.runAsync(() -> work(server, threads, seed, acts), threads))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(workers).join();
    }

    private static void work(Server server, Executor threads, int seed, int acts) {
        var random = new Random(seed);
        for (int i = 0; i < acts; i++) {
            try {
                actOnce(server, threads, random);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void actOnce(Server server, Executor threads, Random random) throws IOException {
        int what = random.nextInt(5);
        var sent = new byte[1 + random.nextInt(LONGEST)];
        random.nextBytes(sent);
        try (var peer = what == 0 ? RawPeer.withSmallWindow(server) : RawPeer.of(server)) {
            switch (what) {
                case 0, 1 -> {
                    var sender = CompletableFuture.runAsync(() -> WatermarkTest.sendAndEnd(peer, sent), threads);
                    assertArrayEquals(sent, peer.readAll());
                    sender.join();
                }
                case 2 -> {
                    var little = Arrays.copyOf(sent, Math.min(sent.length, 2000));
                    peer.send(little);
                    assertArrayEquals(little, peer.socket().getInputStream().readNBytes(little.length));
                }
                case 3 -> {
                    peer.send(Arrays.copyOf(sent, Math.min(sent.length, 20_000)));
                    peer.reset();
                }
                default -> {}
            }
        }
    }
}
