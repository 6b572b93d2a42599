package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/// Real threads, and a loop that really blocks. A lost wake-up shows as a loop that waits although nothing will
/// wake it; the time limit only ends such a test, it measures nothing.
class TaskQueueStressTest {
    private static final long LIMIT_SECONDS = 120;

    @Test
    void every_task_of_many_producers_runs_once_and_in_its_producers_order() throws Exception {
        runsAllInOrder(4, 250_000, _ -> true);
    }

    @Test
    void no_task_is_lost_to_a_loop_that_wakes_up_while_it_is_added() throws Exception {
        runsAllInOrder(2, 500_000, _ -> false);
    }

    @Test
    void a_task_reaches_a_loop_that_sleeps_or_falls_asleep_with_one_wake_up_per_sleep() throws Exception {
        int handoffs = 100_000;
        var loop = new BlockingLoop(handoffs, _ -> true);
        run(loop, 1, _ -> handOver(loop, handoffs));
        assertTrue(loop.sleeps > 0, "the loop never slept");
        assertEquals(loop.sleeps, loop.wakeUps.get());
    }

    @Test
    void tasks_of_two_producers_reach_a_loop_that_also_wakes_up_by_itself() throws Exception {
        int handoffsEach = 100_000;
        var loop = new BlockingLoop(2 * handoffsEach, sleep -> sleep % 3 > 0);
        run(loop, 2, _ -> handOver(loop, handoffsEach));
        assertTrue(loop.wakeUps.get() > 0, "the loop was never woken");
        assertTrue(loop.wakeUps.get() <= loop.sleeps, loop.wakeUps + " wake-ups for " + loop.sleeps + " sleeps");
    }

    private static void runsAllInOrder(int producers, int tasksEach, IntPredicate staysAsleep) throws Exception {
        var loop = new BlockingLoop(producers * tasksEach, staysAsleep);
        int[] next = new int[producers];
        run(loop, producers, producer -> {
            for (int i = 0; i < tasksEach; i++) {
                int turn = i;
                loop.execute(() -> assertEquals(turn, next[producer]++));
            }
        });
        for (int ran : next) {
            assertEquals(tasksEach, ran);
        }
    }

    private static void handOver(BlockingLoop loop, int handoffs) {
        var ran = new Semaphore(0);
        for (int i = 0; i < handoffs; i++) {
            loop.execute(ran::release);
            acquire(ran);
            // A varying distance to the next task, to meet the loop in each step of falling asleep.
            for (int spins = i % 128; spins > 0; spins--) {
                Thread.onSpinWait();
            }
        }
    }

    /// Runs the loop and its producers, and rethrows what any of them threw.
    private static void run(BlockingLoop loop, int producers, IntConsumer producer) throws Exception {
        try (var threads = Executors.newCachedThreadPool()) {
            List<Future<?>> results = new ArrayList<>();
            results.add(threads.submit(loop));
            for (int i = 0; i < producers; i++) {
                int number = i;
                results.add(threads.submit(() -> producer.accept(number)));
            }
            try {
                await(results, loop);
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static void await(List<Future<?>> results, BlockingLoop loop) throws Exception {
        for (var result : results) {
            try {
                result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException stuck) {
                throw new AssertionError("no end after " + LIMIT_SECONDS + " s, " + loop.queue.size() + " tasks wait");
            } catch (ExecutionException failed) {
                throw new AssertionError(failed.getCause());
            }
        }
    }

    private static void acquire(Semaphore semaphore) {
        try {
            semaphore.acquire();
        } catch (InterruptedException e) {
            throw new AssertionError("the test was given up", e);
        }
    }

    /// An event loop reduced to its way of sleeping; the semaphore is the transport's wake-up.
    private static final class BlockingLoop implements Runnable {
        private final TaskQueue queue = new TaskQueue((_, failure) -> {
            throw new AssertionError(failure);
        });
        private final Semaphore wakeUp = new Semaphore(0);
        private final int tasks;

        /// Given the number of a sleep, whether it lasts until a producer ends it; else the loop wakes up by
        /// itself.
        private final IntPredicate staysAsleep;

        private final AtomicInteger wakeUps = new AtomicInteger();

        /// The loop's thread counts, the test reads when that thread is done.
        private int sleeps;

        BlockingLoop(int tasks, IntPredicate staysAsleep) {
            this.tasks = tasks;
            this.staysAsleep = staysAsleep;
        }

        void execute(Runnable task) {
            if (queue.add(task)) {
                wakeUps.incrementAndGet();
                wakeUp.release();
            }
        }

        @Override
        public void run() {
            var thread = Thread.currentThread();
            for (int ran = 0; ran < tasks && !thread.isInterrupted(); ran += queue.drain(() -> 0, 1)) {
                if (queue.prepareToWait()) {
                    sleep();
                }
            }
        }

        private void sleep() {
            sleeps++;
            if (staysAsleep.test(sleeps)) {
                acquire(wakeUp);
            }
            queue.awake();
        }
    }
}
