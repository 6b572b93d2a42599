package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Overflow;
import java.util.ArrayList;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Two loops and threads that borrow from both: slabs go from each to each and end anywhere.
class ReserveStressTest {
    private static final int BORROWERS = 4;
    private static final int STEPS = 40_000;
    private static final int CAP = 16 << 20;

    private final SlabPool[] pools = {new SlabPool(CAP, true), new SlabPool(CAP, true)};

    /// What came from anywhere and ends on a loop, for each of them.
    private final ArrayList<Queue<Slab>> toLoop =
            new ArrayList<>(java.util.List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>()));

    /// What ends with some borrower.
    private final Queue<Slab> toBorrowers = new ConcurrentLinkedQueue<>();

    private final AtomicInteger borrowing = new AtomicInteger(BORROWERS);

    @Test
    void no_slab_is_lost_and_none_has_two_owners() throws InterruptedException, ExecutionException {
        var results = new ArrayList<Future<?>>();
        try (var threads = Executors.newCachedThreadPool()) {
            for (int i = 0; i < BORROWERS; i++) {
                int seed = i;
                results.add(threads.submit(() -> borrow(new Random(seed))));
            }
            for (int i = 0; i < 2; i++) {
                int loop = i;
                results.add(threads.submit(() -> loop(loop)));
            }
        }
        for (var result : results) result.get();
        for (var queue : toLoop) giveAll(queue);
        giveAll(toBorrowers);
        for (var pool : pools) {
            assertEquals(0, pool.missing());
            assertEquals(0, pool.bytesOut());
            assertTrue(pool.bytesHeld() <= CAP);
        }
    }

    private void borrow(Random random) {
        try {
            for (int i = 0; i < STEPS; i++) borrowOnce(random, i);
        } finally {
            borrowing.decrementAndGet();
        }
    }

    private void borrowOnce(Random random, int step) {
        var reserve = pools[random.nextInt(2)].reserve();
        var slab = taken(reserve, random.nextInt(8) == 0);
        if (slab == null) return;
        long mark = Thread.currentThread().threadId() << 32 | step;
        stamp(slab, mark);
        if (random.nextBoolean()) Thread.onSpinWait();
        check(slab, mark);
        if (random.nextBoolean()) toLoop.get(random.nextInt(2)).add(slab);
        else reserve.give(slab, Slab.Owner.OUTPUT);
        var received = toBorrowers.poll();
        if (received != null) pools[random.nextInt(2)].reserve().give(received, Slab.Owner.OUTPUT);
    }

    private static @Nullable Slab taken(SlabSource source, boolean isLarge) {
        try {
            return source.take(isLarge, Slab.Owner.OUTPUT);
        } catch (Overflow _) {
            return null;
        }
    }

    private void loop(int number) {
        var pool = pools[number];
        for (int i = 0; borrowing.get() > 0; i++) {
            var slab = taken(pool, i % 4 == 0);
            if (slab != null) pass(pool, slab, i);
            var sent = toLoop.get(number).poll();
            if (sent != null) pool.give(sent, Slab.Owner.OUTPUT);
            if (i % 1000 == 0) pool.trim();
        }
    }

    private void pass(SlabPool pool, Slab slab, int step) {
        stamp(slab, -step);
        check(slab, -step);
        if (step % 3 == 0) toBorrowers.add(slab);
        else pool.give(slab, Slab.Owner.OUTPUT);
    }

    private void giveAll(Queue<Slab> queue) {
        for (var slab = queue.poll(); slab != null; slab = queue.poll()) pools[0].give(slab, Slab.Owner.OUTPUT);
    }

    private static void stamp(Slab slab, long mark) {
        slab.memory.set(JAVA_LONG, 0, mark);
        slab.memory.set(JAVA_LONG, slab.capacity() - Long.BYTES, mark);
    }

    private static void check(Slab slab, long mark) {
        assertEquals(mark, slab.memory.get(JAVA_LONG, 0));
        assertEquals(mark, slab.memory.get(JAVA_LONG, slab.capacity() - Long.BYTES));
    }
}
