package io.millrace;

import static io.millrace.Eventually.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.loop.CoreGuards;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The JDK's scheduler, whose few threads code keeps that computes or is in native code; and who waits behind it
/// because
/// he has not earned his loop yet.
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpareThreadsTest {
    private static final int MOST = 64;

    /// Keep every thread of the JDK's scheduler.
    static final class Keepers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean isOver;

        Keepers() {
            int count = Integer.getInteger(
                    "jdk.virtualThreadScheduler.parallelism",
                    Runtime.getRuntime().availableProcessors());
            var areHere = new CountDownLatch(count);
            for (int i = 0; i < count; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    areHere.countDown();
                    while (!isOver) Offence.sleepInNativeCode(1);
                }));
            }
            Uninterrupted.await(areHere);
        }

        @Override
        public void close() {
            end();
        }

        void end() {
            isOver = true;
            for (var thread : threads) until(() -> !thread.isAlive());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*WITHOUT_CARRIERS")
    void who_waits_goes_on_in_a_spare_thread(Loops kind) throws Exception {
        try (var _ = new Keepers();
                var loops = kind.setup().threads(1).earnAfter(1000).start();
                var sessions = Offenders.serve(loops, true, () -> {});
                var handlers = Offenders.serve(loops, false, () -> {});
                var first = RawPeer.of(sessions);
                var second = RawPeer.of(handlers)) {
            for (int i = 0; i < 10; i++) {
                first.send("x").assertReads("x");
                second.send("x").assertReads("x");
            }
        }
    }

    /// Ten, because one has no more than eight spare threads.
    private static final class Servers implements AutoCloseable {
        private final List<Server> servers = new ArrayList<>();
        private int next;

        Servers(EventLoops loops, Offenders.Work work) {
            for (int i = 0; i < 10; i++) servers.add(Offenders.serve(loops, true, work));
        }

        Server next() {
            return servers.get(next++ % servers.size());
        }

        @Override
        public void close() {
            servers.forEach(Server::close);
        }
    }

    /// Whose calls take for ever.
    @Test
    void one_server_leaves_some_to_the_others() throws Exception {
        var mayGo = new CountDownLatch(1);
        try (var keepers = new Keepers();
                var loops = Loops.NIO.setup().threads(1).earnAfter(1000).start();
                var greedy = Offenders.serve(loops, true, () -> {
                    while (mayGo.getCount() > 0) Offence.sleepInNativeCode(1);
                });
                var modest = Offenders.serve(loops, true, () -> {});
                var peer = RawPeer.of(modest)) {
            var peers = new ArrayList<RawPeer>();
            for (int i = 0; i < 20; i++) peers.add(RawPeer.of(greedy).send("x"));
            until(() -> spares() >= 8);
            for (int i = 0; i < 10; i++) peer.send("x").assertReads("x");
            keepers.end();
            mayGo.countDown();
            for (var one : peers) {
                try (one) {
                    one.assertReads("x");
                }
            }
        }
    }

    private static long spares() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("millrace-spare-"))
                .count();
    }

    @Test
    void spare_threads_are_so_many_at_most() throws Exception {
        long before = CoreGuards.SPARE_THREADS.count();
        var mayGo = new CountDownLatch(1);
        try (var keepers = new Keepers();
                var loops = Loops.NIO.setup().threads(1).earnAfter(1000).start();
                var servers = new Servers(loops, () -> {
                    while (mayGo.getCount() > 0) Offence.sleepInNativeCode(1);
                })) {
            var peers = new ArrayList<RawPeer>();
            // Some more, because the JDK's scheduler may have threads left that it made for calls which block.
            for (int i = 0; i < MOST + 20; i++)
                peers.add(RawPeer.of(servers.next()).send("x"));
            until(() -> CoreGuards.SPARE_THREADS.count() > before);
            assertEquals(MOST, spares());
            // Who has kept a thread for so long has to wait for one of the JDK's.
            keepers.end();
            mayGo.countDown();
            for (var peer : peers) {
                try (peer) {
                    peer.assertReads("x");
                }
            }
        }
    }
}
