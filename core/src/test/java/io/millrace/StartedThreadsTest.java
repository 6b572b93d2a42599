package io.millrace;

import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.net.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Threads that user code starts in a session or in a call of a handler: they are no business of the loop's.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("ThreadPriorityCheck") // yields move threads
class StartedThreadsTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @BeforeAll
    static void the_scheduler_of_the_JDK_has_a_thread_for_each_core() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
    }

    @ParameterizedTest
    @EnumSource
    void tasks_of_a_session_run_beside_each_other_and_beside_its_loop(Loops kind) throws Exception {
        Session parent = conn -> {
            while (conn.read()) {
                conn.input().skip(conn.input().remaining());
                conn.output().writeUtf8(meetBesideTheLoop(conn.loop()));
            }
        };
        try (var loops = kind.trusting(1);
                var server = Tcp.serve(local(loops), parent);
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 3; i++) peer.send("x").assertReads("on the loop: false false");
        }
    }

    @ParameterizedTest
    @EnumSource
    void tasks_of_a_call_run_beside_each_other_and_beside_its_loop(Loops kind) throws Exception {
        HandlerFactory parent = conn -> in -> {
            in.skip(in.remaining());
            conn.output().writeUtf8(meetBesideTheLoop(conn.loop()));
        };
        try (var loops = kind.trusting(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), parent);
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 3; i++) peer.send("x").assertReads("on the loop: false false");
        }
    }

    /// Two tasks that keep the thread they run on until they have met: on one thread they never would.
    private static String meetBesideTheLoop(Loop loop) throws IOException {
        var arrived = new CountDownLatch(2);
        Callable<Boolean> task = () -> {
            arrived.countDown();
            while (arrived.getCount() > 0) Thread.onSpinWait();
            return loop.inLoop();
        };
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = tasks.submit(task);
            var second = tasks.submit(task);
            return "on the loop: " + first.get() + " " + second.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_task_that_computes_does_not_stop_the_connections_of_the_loop(Loops kind) throws Exception {
        var stop = new CountDownLatch(1);
        Session parent = conn -> {
            while (conn.read()) {
                Thread.startVirtualThread(() -> {
                    while (stop.getCount() > 0) Thread.onSpinWait();
                });
                conn.output().move(conn.input());
            }
        };
        try (var loops = kind.trusting(1);
                var server = Tcp.serve(local(loops), parent);
                var echo = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server);
                var other = RawPeer.of(echo)) {
            peer.send("x").assertReads("x");
            for (int i = 0; i < 100; i++) other.send("ping").assertReads("ping");
            stop.countDown();
        } finally {
            stop.countDown();
        }
    }

    /// Yields, sleeps, locks, monitors and waits move a thread about; whatever happens, it stays off the loop.
    @ParameterizedTest
    @EnumSource
    void what_they_wait_for_brings_them_never_back_to_the_loop(Loops kind) throws Exception {
        var lock = new ReentrantLock();
        var monitor = new Object();
        Session parent = conn -> {
            var loop = conn.loop();
            while (conn.read()) {
                conn.input().skip(conn.input().remaining());
                boolean wasOnLoop = false;
                try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
                    var barrier = new CyclicBarrier(4);
                    var results = new ArrayList<Future<Boolean>>();
                    for (int i = 0; i < 4; i++) results.add(tasks.submit(() -> waits(loop, lock, monitor, barrier)));
                    for (var result : results) wasOnLoop |= result.get();
                } catch (Exception e) {
                    throw new IOException(e);
                }
                assertEquals(carries(kind), loop.inLoop());
                conn.output().writeUtf8("on the loop: " + wasOnLoop);
            }
        };
        try (var loops = kind.trusting(1);
                var server = Tcp.serve(local(loops), parent);
                var peer = RawPeer.of(server);
                var second = RawPeer.of(server)) {
            for (int i = 0; i < 5; i++) {
                peer.send("x");
                second.send("x");
                peer.assertReads("on the loop: false");
                second.assertReads("on the loop: false");
            }
        }
    }

    private static boolean carries(Loops kind) {
        return !kind.name().endsWith("WITHOUT_CARRIERS")
                && EventLoops.carriersUnavailableBecause().isEmpty();
    }

    private static boolean waits(Loop loop, ReentrantLock lock, Object monitor, CyclicBarrier others) throws Exception {
        boolean wasOnLoop = loop.inLoop();
        for (int i = 0; i < 20; i++) {
            Thread.yield();
            wasOnLoop |= loop.inLoop();
            others.await();
            wasOnLoop |= loop.inLoop();
            lock.lock();
            try {
                Thread.sleep(0, 100_000);
                wasOnLoop |= loop.inLoop();
            } finally {
                lock.unlock();
            }
            synchronized (monitor) {
                wasOnLoop |= loop.inLoop();
                monitor.wait(1);
            }
            wasOnLoop |= loop.inLoop();
            // Their own threads, too, and what those start.
            var nested = loop.blocking(() -> 1).toCompletableFuture();
            var child = Thread.startVirtualThread(() -> assertFalse(loop.inLoop()));
            child.join();
            wasOnLoop |= nested.get() != 1;
        }
        return wasOnLoop;
    }

    /// A session may be gone long before what it started.
    @ParameterizedTest
    @EnumSource
    void a_thread_outlives_the_session_and_the_loop_that_it_came_from(Loops kind) throws Exception {
        var goOn = new CountDownLatch(1);
        var children = new ArrayList<Thread>();
        var steps = new CountDownLatch(100);
        try (var loops = kind.trusting(1);
                var server = Tcp.serve(local(loops), conn -> {
                    children.add(Thread.startVirtualThread(() -> {
                        Uninterrupted.await(goOn);
                        for (int i = 0; i < 100; i++) {
                            Thread.yield();
                            steps.countDown();
                        }
                    }));
                    conn.output().writeUtf8("started");
                });
                var peer = RawPeer.of(server)) {
            peer.assertReads("started");
            peer.assertEnd();
        }
        goOn.countDown();
        steps.await();
        for (var child : List.copyOf(children)) child.join();
    }
}
