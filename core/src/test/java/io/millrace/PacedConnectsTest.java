package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A thousand connections a second that come by the clock, whether the earlier ones are done or not;
/// `-Dmillrace.abuse=full` keeps it up for 30 seconds.
@Tag("abuse")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PacedConnectsTest {
    private static final int PER_SECOND = 1_000;
    private static final int COUNT = PER_SECOND * ("full".equals(System.getProperty("millrace.abuse")) ? 30 : 2);
    private static final long PAUSE_NANOS = 1_000_000_000L / PER_SECOND;

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_thousand_connects_a_second_leave_no_descriptor_and_no_slab(Loops kind) throws Exception {
        Proc.assumeIsThere();
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops), conn -> in -> conn.output().move(in))) {
            // The first ones bring the descriptors that the JDK keeps for virtual threads.
            comeByTheClock(server, PER_SECOND / 10);
            long before = Proc.descriptors();
            comeByTheClock(server, COUNT);
            until(() -> Proc.descriptors() <= before);
            assertEquals(PER_SECOND / 10 + COUNT, loops.counters().getFirst().closed());
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    private static void comeByTheClock(Server server, int count) {
        var failure = new AtomicReference<@Nullable Throwable>();
        var underWay = new Phaser(1);
        long startNanos = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int number = i;
            waitUntil(startNanos + i * PAUSE_NANOS);
            underWay.register();
            Thread.ofVirtual().start(() -> comeAndGo(server, number, underWay, failure));
        }
        underWay.arriveAndAwaitAdvance();
        assertNull(failure.get());
        until(() -> server.connections() == 0);
    }

    private static void waitUntil(long momentNanos) {
        for (long left; (left = momentNanos - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
    }

    private static void comeAndGo(
            Server server, int number, Phaser underWay, AtomicReference<@Nullable Throwable> failure) {
        try {
            comeAndGo(server, number);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        } finally {
            underWay.arriveAndDeregister();
        }
    }

    /// Each third one closes, half-closes first, or resets.
    private static void comeAndGo(Server server, int number) throws Exception {
        try (var peer = RawPeer.of(server)) {
            peer.send("hello").assertReads("hello");
            if (number % 3 == 1) peer.end().assertEnd();
            if (number % 3 == 2) peer.reset();
        }
    }
}
