package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Resolver;
import io.millrace.net.Session;
import io.millrace.testing.InNativeCall;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A loop that something keeps: what waits for it and does not need it goes on elsewhere.
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StuckLoopTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final String CARRIED = ".*WITHOUT_CARRIERS";

    /// A lock or a monitor.
    private interface Mutex {
        void with(Body body) throws IOException;

        interface Body {
            void run() throws IOException;
        }

        static Mutex lock() {
            var lock = new ReentrantLock();
            return body -> {
                lock.lock();
                try {
                    body.run();
                } finally {
                    lock.unlock();
                }
            };
        }

        static Mutex monitor() {
            var monitor = new Object();
            return body -> {
                synchronized (monitor) {
                    body.run();
                }
            };
        }
    }

    /// A session has it until it may go, and a callback of the same loop takes it.
    private record Shared(Mutex mutex, Semaphore hasIt, Semaphore mayGo) {
        static Shared of(Mutex mutex) {
            return new Shared(mutex, new Semaphore(0), new Semaphore(0));
        }

        void session(BlockingConnection conn) throws IOException {
            mutex.with(() -> {
                hasIt.release();
                mayGo.acquireUninterruptibly();
            });
            conn.output().writeUtf8("done");
        }

        void callback(Connection conn, Input in) throws IOException {
            mutex.with(() -> conn.output().move(in));
        }
    }

    /// The loop's thread waits for a lock whose owner could go on, if that loop ran it.
    @ParameterizedTest
    @EnumSource
    void a_session_goes_on_that_has_what_a_callback_of_its_loop_waits_for(Loops kind) throws Exception {
        letsGo(kind, Shared.of(Mutex.lock()));
    }

    @ParameterizedTest
    @EnumSource
    void the_same_goes_for_a_monitor(Loops kind) throws Exception {
        letsGo(kind, Shared.of(Mutex.monitor()));
    }

    private static void letsGo(Loops kind, Shared shared) throws Exception {
        HandlerFactory callback = conn -> in -> {
            shared.mayGo.release();
            shared.callback(conn, in);
        };
        try (var loops = kind.trusting(1);
                var sessions = Tcp.serve(local(loops), shared::session);
                var callbacks = Tcp.listen(local(loops), callback);
                var holder = RawPeer.of(sessions);
                var other = RawPeer.of(callbacks)) {
            shared.hasIt.acquire();
            other.send("x").assertReads("x");
            holder.assertReads("done");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void calls_are_made_that_wait_behind_one_that_keeps_the_loop(Loops kind) throws Exception {
        assertBothAreMade(kind);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void they_are_made_though_the_jdks_scheduler_is_stuck(Loops kind) throws Exception {
        try (var _ = new SpareThreadsTest.Keepers()) {
            assertBothAreMade(kind);
        }
    }

    /// Each server has spare threads of its own, whatever the calls of others have done to theirs.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void so_they_are_when_the_calls_of_another_server_have_kept_threads(Loops kind) throws Exception {
        for (int i = 0; i < 3; i++) assertBothAreMade(kind, 600);
        try (var _ = new SpareThreadsTest.Keepers()) {
            assertBothAreMade(kind);
        }
    }

    private static void assertBothAreMade(Loops kind) throws Exception {
        assertBothAreMade(kind, 0);
    }

    /// Two calls that came up in one turn, and each of them waits for the other without leaving its thread.
    private static void assertBothAreMade(Loops kind, int millis) throws Exception {
        var arrived = new AtomicInteger();
        HandlerFactory spinning = conn -> in -> {
            arrived.incrementAndGet();
            while (arrived.get() < 2) Thread.onSpinWait();
            Offence.spin(millis);
            conn.output().move(in);
        };
        var hasBegun = new CountDownLatch(1);
        var mayTurn = new CountDownLatch(1);
        try (var loops = kind.trusting(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), spinning);
                var one = RawPeer.of(server);
                var two = RawPeer.of(server)) {
            until(() -> server.connections() == 2);
            loops.all().getFirst().execute(() -> {
                hasBegun.countDown();
                Uninterrupted.await(mayTurn);
            });
            // Otherwise it could be called for the first before it has heard of the second.
            hasBegun.await();
            one.send("1");
            two.send("2");
            mayTurn.countDown();
            one.assertReads("1");
            two.assertReads("2");
        }
    }

    /// A native frame below a wait keeps the thread where it is, and that would be the loop's.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void a_wait_that_cannot_leave_the_loop_throws_and_says_why(Loops kind) throws Exception {
        try (var loops = kind.trusting(1)) {
            assertThrowsBelowNativeCode(loops, conn -> conn.read());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void so_does_one_for_a_connection_that_its_loop_is_to_make(Loops kind) throws Exception {
        try (var loops = kind.trusting(1);
                var echo = Tcp.listen(local(loops), ECHO)) {
            var there = Connect.to(echo.address()).loops(loops);
            assertThrowsBelowNativeCode(loops, _ -> Tcp.connect(there).close());
            until(() -> echo.connections() == 0);
        }
    }

    /// It ends some day, and until then the loop stands still.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void so_does_one_for_another_loop(Loops kind) throws Exception {
        try (var loops = kind.trusting(1);
                var others = kind.trusting(1);
                var silent = Tcp.listen(local(others), _ -> _ -> {});
                var conn = Tcp.connect(Connect.to(silent.address()).loops(others))) {
            assertThrowsBelowNativeCode(loops, _ -> conn.read());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void a_drain_that_cannot_leave_the_loop_drops_what_is_left(Loops kind) throws Exception {
        var wasInTime = new CompletableFuture<Boolean>();
        try (var loops = kind.trusting(1);
                var silent = Tcp.listen(local(loops), _ -> _ -> {});
                var open = RawPeer.of(silent);
                var server = Tcp.serve(local(loops), conn -> {
                    conn.read();
                    InNativeCall.run(() -> wasInTime.complete(silent.drain(Duration.ofMinutes(1))));
                });
                var peer = RawPeer.of(server)) {
            until(() -> silent.connections() == 1);
            peer.send("x");
            assertEquals(false, wasInTime.get());
            open.assertGone();
        }
    }

    private static void assertThrowsBelowNativeCode(EventLoops loops, Session wait) throws Exception {
        var thrown = new CompletableFuture<@Nullable Throwable>();
        Session session = conn -> {
            conn.read();
            conn.input().skip(conn.input().remaining());
            thrown.complete(InNativeCall.run(() -> wait.run(conn)));
        };
        try (var server = Tcp.serve(local(loops), session);
                var echo = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server);
                var other = RawPeer.of(echo)) {
            peer.send("x");
            var why = String.valueOf(thrown.get());
            assertTrue(why.contains("IllegalStateException") && why.contains("called by native code"), why);
            other.send("x").assertReads("x");
        }
    }

    /// On the JDK's scheduler it keeps one of its threads, and the loop ends the wait.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = CARRIED)
    void before_the_loop_is_earned_such_a_wait_is_over_when_it_should_be(Loops kind) throws Exception {
        var thrown = new CompletableFuture<@Nullable Throwable>();
        var began = new CountDownLatch(1);
        Session session = conn -> {
            began.countDown();
            thrown.complete(InNativeCall.run(conn::read));
        };
        try (var loops = kind.setup().threads(1).earnAfter(1000).start();
                var server = Tcp.serve(local(loops), session);
                var peer = RawPeer.of(server)) {
            began.await();
            peer.send("x");
            assertEquals(null, thrown.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_watchdog_names_the_lock_that_a_callback_waits_for_and_its_owner(Loops kind) throws Exception {
        var line = stallBehind(kind, Shared.of(Mutex.lock()));
        assertTrue(line.contains("it waits for java.util.concurrent.locks.ReentrantLock$NonfairSync@"), line);
    }

    @ParameterizedTest
    @EnumSource
    void the_watchdog_names_the_owner_of_a_monitor(Loops kind) throws Exception {
        var line = stallBehind(kind, Shared.of(Mutex.monitor()));
        assertTrue(line.contains("it waits for java.lang.Object@"), line);
    }

    /// The line about a callback that waits for what a session has, which lets go when that was told. The guard writes
    /// one line a second at most, whoever it is about.
    private static String stallBehind(Loops kind, Shared shared) throws Exception {
        while (true) {
            try (var log = CapturedLog.of("io.millrace.guard");
                    var loops = kind.watched(Duration.ofMillis(50));
                    var sessions = Tcp.serve(local(loops), shared::session);
                    var callbacks = Tcp.listen(local(loops), conn -> in -> shared.callback(conn, in));
                    var _ = RawPeer.of(sessions);
                    var other = RawPeer.of(callbacks)) {
                shared.hasIt.acquire();
                other.send("x");
                until(() -> loops.counters().getFirst().stalls() > 0);
                shared.mayGo.release();
                other.assertReads("x");
                for (var line : log.linesSoFar()) {
                    if (!line.contains("it waits for")) continue;
                    assertTrue(line.contains(", which \"session 127.0.0.1:"), line);
                    assertTrue(line.contains("StuckLoopTest"), line);
                    return line;
                }
            }
        }
    }

    /// The loop would have to end the wait, and waits for the lock itself.
    @ParameterizedTest
    @EnumSource
    void a_session_gives_up_that_waits_for_its_loop_with_the_lock_that_the_loop_waits_for(Loops kind) throws Exception {
        try (var loops = kind.watched(Duration.ofMillis(50))) {
            assertGivesUpWithLock(loops, conn -> conn.read());
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_gives_up_to_connect_as_well(Loops kind) throws Exception {
        var isOver = new CountDownLatch(1);
        Resolver slow = name -> {
            Uninterrupted.await(isOver);
            throw new UnknownHostException(name);
        };
        try (var loops = kind.watched(Duration.ofMillis(50))) {
            var somewhere = Connect.to("somewhere", 1).resolver(slow).loops(loops);
            assertGivesUpWithLock(loops, _ -> Tcp.connect(somewhere).close());
            isOver.countDown();
        }
    }

    private static void assertGivesUpWithLock(EventLoops loops, Session wait) throws Exception {
        var lock = new ReentrantLock();
        var hasIt = new CountDownLatch(1);
        var thrown = new CompletableFuture<Throwable>();
        Session session = conn -> {
            lock.lock();
            try {
                hasIt.countDown();
                wait.run(conn);
            } catch (IllegalStateException e) {
                thrown.complete(e);
            } finally {
                lock.unlock();
            }
        };
        HandlerFactory callback = conn -> in -> {
            lock.lock();
            try {
                conn.output().move(in);
            } finally {
                lock.unlock();
            }
        };
        try (var sessions = Tcp.serve(local(loops), session);
                var callbacks = Tcp.listen(local(loops), callback);
                var waiting = RawPeer.of(sessions);
                var other = RawPeer.of(callbacks)) {
            hasIt.await();
            other.send("x").assertReads("x");
            var why = String.valueOf(thrown.get().getMessage());
            assertTrue(why.contains("with a lock held that its event loop waits for"), why);
            waiting.assertGone();
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_watchdog_sleeps_while_nothing_turns(Loops kind) throws Exception {
        try (var loops = kind.setup().threads(1).name("resting").start();
                var server = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 3; i++) {
                peer.send("x").assertReads("x");
                until(() -> watchdogs().allMatch(thread -> thread.getState() == Thread.State.WAITING));
            }
        }
    }

    private static Stream<Thread> watchdogs() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("resting-watchdog"));
    }
}
