package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What user code may ask of an event loop, from any thread.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("try") // closing is what is tested here
class LoopTest {
    @ParameterizedTest
    @EnumSource
    void tasks_run_on_the_loop_in_their_order(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var ran = new ArrayList<Integer>();
            var done = new CountDownLatch(1);
            for (int i = 0; i < 10_000; i++) {
                int number = i;
                loop.execute(() -> {
                    assertTrue(loop.inLoop());
                    ran.add(number);
                });
            }
            loop.execute(done::countDown);
            done.await();
            assertEquals(IntStream.range(0, 10_000).boxed().toList(), ran);
            assertFalse(loop.inLoop());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_task_throws_is_logged_and_the_loop_goes_on(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var log = CapturedLog.of("io.millrace.loop")) {
            loops.next().execute(() -> {
                throw new IllegalStateException("as told");
            });
            Eventually.turns(loops, 1);
            assertTrue(log.next().contains("as told"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_timer_fires_when_its_time_has_come_and_not_before(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var fired = new CompletableFuture<Long>();
            long beganNanos = System.nanoTime();
            loop.after(Duration.ofMillis(30), () -> fired.complete(System.nanoTime()));
            assertTrue(fired.get() - beganNanos >= TimeUnit.MILLISECONDS.toNanos(30));
        }
    }

    @ParameterizedTest
    @EnumSource
    void timers_fire_in_the_order_of_their_times(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var order = new ArrayList<String>();
            var done = new CountDownLatch(4);
            for (int millis : List.of(40, 0, 20, -5)) {
                loop.after(Duration.ofMillis(millis), () -> {
                    order.add(millis > 0 ? "" + millis : "now");
                    done.countDown();
                });
            }
            done.await();
            assertEquals(List.of("now", "now", "20", "40"), order);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_cancelled_timer_does_not_fire_whoever_cancels_it(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var fired = new ArrayList<String>();
            var fromHere = loop.after(Duration.ofMillis(20), () -> fired.add("cancelled here"));
            var onLoop = loop.after(Duration.ofMillis(20), () -> fired.add("cancelled on the loop"));
            fromHere.cancel();
            loop.execute(onLoop::cancel);
            var later = new CountDownLatch(1);
            loop.after(Duration.ofMillis(60), later::countDown);
            later.await();
            assertEquals(List.of(), fired);
            until(() -> loops.counters().getFirst().timers() == 0);
            fromHere.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_timer_may_be_as_far_away_as_a_duration_can_say(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var timer = loops.next().after(Duration.ofSeconds(Long.MAX_VALUE), () -> {});
            until(() -> loops.counters().getFirst().timers() == 1);
            timer.cancel();
            until(() -> loops.counters().getFirst().timers() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_closed_loop_rejects_tasks_and_forgets_timers_without_harm(Loops kind) {
        Loop loop;
        Loop.Timer timer;
        try (var loops = kind.start(1)) {
            loop = loops.next();
            timer = loop.after(Duration.ofDays(1), () -> {});
        }
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> loop.after(Duration.ZERO, () -> {}));
        timer.cancel();
    }

    @ParameterizedTest
    @EnumSource
    void blocking_work_leaves_the_loop_free_and_its_result_comes_to_the_loop(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var goOn = new CountDownLatch(1);
            var result = new CompletableFuture<Boolean>();
            CompletableFuture.runAsync(
                            () -> loop.blocking(() -> {
                                        goOn.await();
                                        return loop.inLoop();
                                    })
                                    .thenAccept(wasInLoop -> result.complete(loop.inLoop() && !wasInLoop)),
                            loop)
                    .get();
            Eventually.turns(loops, 3);
            assertFalse(result.isDone());
            goOn.countDown();
            assertTrue(result.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_blocking_work_throws_is_its_result(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            for (var thrown : List.of(new Exception("as told"), new StackOverflowError("as told"))) {
                var result = loops.next().blocking(() -> {
                    throwIt(thrown);
                    return "";
                });
                var failure = assertThrows(
                        ExecutionException.class,
                        () -> result.toCompletableFuture().get());
                assertEquals(thrown, failure.getCause());
            }
        }
    }

    private static void throwIt(Throwable thrown) throws Exception {
        if (thrown instanceof Exception exception) throw exception;
        throw (Error) thrown;
    }

    @ParameterizedTest
    @EnumSource
    void blocking_work_may_outlive_its_loop(Loops kind) throws Exception {
        var goOn = new CountDownLatch(1);
        CompletableFuture<String> result;
        try (var loops = kind.start(1)) {
            var began = new CountDownLatch(1);
            result = loops.next()
                    .blocking(() -> {
                        began.countDown();
                        goOn.await();
                        return "done";
                    })
                    .toCompletableFuture();
            began.await();
        }
        goOn.countDown();
        assertEquals("done", result.get());
    }

    /// A wait is a wait: the counters of an idle loop stand still.
    @ParameterizedTest
    @EnumSource
    void an_idle_loop_does_not_turn(Loops kind) throws Exception {
        HandlerFactory echo = conn -> in -> conn.output().move(in);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), echo);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            var endless = loops.next().after(Duration.ofDays(1), () -> {});
            long before = loops.counters().getFirst().turns();
            passes();
            assertTrue(loops.counters().getFirst().turns() - before <= 5);
            endless.cancel();
        }
    }

    /// Half-closed, then reset: nothing is left to wait for, and nothing may be reported again and again.
    @ParameterizedTest
    @EnumSource
    void a_reset_after_a_half_close_does_not_spin(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onEnd(Connection ended) {
                calls.add("end");
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers)) {
            for (boolean endsToo : new boolean[] {false, true}) {
                var peer = RawPeer.of(server).send("x").end();
                var heard = handlers.next();
                assertEquals("x", heard.calls.take());
                assertEquals("end", heard.calls.take());
                if (endsToo) ClosingTest.onLoop(heard, heard.conn::pause);
                peer.reset();
                long before = loops.counters().getFirst().turns();
                passes();
                assertTrue(loops.counters().getFirst().turns() - before <= 10);
                // NIO learns of it when it sends.
                ClosingTest.onLoop(heard, () -> heard.conn.output().writeUtf8("hello?"));
                ClosingTest.onLoop(heard, () -> heard.conn.output().writeUtf8("hello?"));
                assertTrue(heard.closed.get().startsWith("Reset"), heard.closed.get());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void threads_that_end_leave_their_loops_with_nothing_to_do(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), conn -> conn.read())) {
            for (int i = 0; i < 20; i++) {
                try (var peer = RawPeer.of(server)) {
                    peer.send("x").assertEnd();
                }
            }
            until(() -> server.connections() == 0);
            long before = loops.counters().getFirst().turns();
            passes();
            assertTrue(loops.counters().getFirst().turns() - before <= 5);
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    private static void passes() throws Exception {
        new CompletableFuture<>()
                .completeOnTimeout(null, 300, TimeUnit.MILLISECONDS)
                .get();
    }
}
