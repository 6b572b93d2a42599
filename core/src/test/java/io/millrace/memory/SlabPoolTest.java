package io.millrace.memory;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Overflow;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlabPoolTest {
    private static final int MIB = 1 << 20;
    private static final int CAP = 8 * MIB;

    private final SlabPool pool = new SlabPool(CAP, true);
    private final ArrayDeque<Slab> out = new ArrayDeque<>();

    private void takeLarge(int count) {
        for (int i = 0; i < count; i++) out.push(pool.take(true, Slab.Owner.OUTPUT));
    }

    private void takeSmall(int count) {
        for (int i = 0; i < count; i++) out.push(pool.take(false, Slab.Owner.OUTPUT));
    }

    private void giveAll() {
        while (!out.isEmpty()) pool.give(out.pop(), Slab.Owner.OUTPUT);
    }

    @Test
    void a_new_pool_holds_no_memory() {
        assertEquals(0, pool.bytesHeld());
        assertEquals(0, pool.bytesOut());
        assertEquals(0, pool.missing());
        assertEquals(CAP, pool.capBytes());
    }

    @Test
    void a_cap_that_is_too_small_is_refused_with_the_least_one() {
        var refusal = assertThrows(IllegalArgumentException.class, () -> new SlabPool(4 * MIB - 1, true));
        assertEquals("a cap of 4194303 bytes is too small: give a loop at least 4 MiB", refusal.getMessage());
    }

    @Test
    void slabs_have_two_sizes() {
        assertEquals(64 << 10, pool.take(true, Slab.Owner.OUTPUT).capacity());
        assertEquals(2 << 10, pool.take(false, Slab.Owner.OUTPUT).capacity());
        assertEquals(66 << 10, pool.bytesOut());
    }

    @Test
    void a_slab_to_receive_into_is_large_and_the_kernels() {
        var slab = requireNonNull(pool.takeForReceive());
        assertEquals(SlabPool.LARGE, slab.room());
        assertEquals(Slab.Owner.KERNEL, slab.owner());
    }

    @Test
    void the_slab_given_last_is_taken_first() {
        takeLarge(3);
        var last = out.getLast();
        giveAll();
        assertSame(last, pool.take(true, Slab.Owner.OUTPUT));
    }

    @Test
    void no_two_slabs_share_memory() {
        takeLarge(40);
        takeSmall(200);
        var sorted = out.stream()
                .sorted(java.util.Comparator.comparingLong(Slab::writeAddress))
                .toList();
        for (int i = 1; i < sorted.size(); i++) {
            var before = sorted.get(i - 1);
            assertTrue(
                    before.writeAddress() + before.capacity() <= sorted.get(i).writeAddress());
        }
    }

    @Test
    void slabs_are_used_again() {
        for (int i = 0; i < 1000; i++) {
            takeLarge(10);
            takeSmall(10);
            giveAll();
        }
        assertTrue(pool.bytesHeld() <= 2 * MIB, pool.bytesHeld() + " bytes");
        assertEquals(0, pool.missing());
    }

    @Test
    void what_is_missing_is_counted() {
        takeLarge(3);
        takeSmall(2);
        assertEquals(5, pool.missing());
        pool.give(out.pop(), Slab.Owner.OUTPUT);
        assertEquals(4, pool.missing());
    }

    // The cap.

    @Test
    void accepting_stops_above_three_quarters() {
        takeLarge(6 * 16);
        assertTrue(pool.mayAccept());
        takeSmall(1);
        assertFalse(pool.mayAccept());
        assertTrue(pool.mayReceive());
        pool.give(out.pop(), Slab.Owner.OUTPUT);
        assertTrue(pool.mayAccept());
    }

    @Test
    void receiving_stops_above_seven_eighths() {
        takeLarge(7 * 16);
        assertTrue(pool.mayReceive());
        takeSmall(1);
        assertFalse(pool.mayReceive());
        assertNull(pool.takeForReceive());
        giveAll();
        assertNotNull(pool.takeForReceive());
    }

    @Test
    void receiving_leaves_an_eighth_to_the_writers() {
        for (var slab = pool.takeForReceive(); slab != null; slab = pool.takeForReceive()) {
            slab.pass(Slab.Owner.KERNEL, Slab.Owner.OUTPUT);
            out.push(slab);
        }
        assertEquals(7 * 16, out.size());
        takeLarge(16);
        assertEquals(CAP, pool.bytesOut());
    }

    @Test
    void above_the_cap_a_writer_is_refused() {
        takeLarge(8 * 16);
        assertThrows(Overflow.class, () -> takeLarge(1));
        assertThrows(Overflow.class, () -> takeSmall(1));
        assertNull(pool.takeSmall(Slab.Owner.OUTPUT));
        assertEquals(8 * 16, pool.missing());
        pool.give(out.pop(), Slab.Owner.OUTPUT);
        takeLarge(1);
    }

    @Test
    void all_of_the_cap_can_be_used_whatever_its_size() {
        var odd = new SlabPool(5 * MIB + 300_000, true);
        long bytes = 0;
        while (true) {
            try {
                bytes += odd.take(true, Slab.Owner.OUTPUT).capacity();
            } catch (Overflow _) {
                break;
            }
        }
        assertTrue(odd.capBytes() - bytes < SlabPool.LARGE, bytes + " bytes");
    }

    @Test
    void a_writer_takes_the_other_size_when_the_memory_is_short() {
        takeLarge(8 * 16 - 1);
        out.push(pool.take(true, Slab.Owner.INPUT));
        pool.give(out.pop(), Slab.Owner.INPUT);
        assertEquals(SlabPool.LARGE, pool.take(false, Slab.Owner.OUTPUT).capacity());
        assertNull(pool.takeSmall(Slab.Owner.OUTPUT));
    }

    @Test
    void a_peak_of_small_slabs_does_not_starve_receiving() {
        takeSmall(CAP / SlabPool.SMALL);
        giveAll();
        assertNotNull(pool.takeForReceive());
    }

    @Test
    void small_slabs_scattered_over_all_blocks_make_receiving_wait() {
        takeSmall(CAP / SlabPool.SMALL);
        var scattered = new ArrayDeque<Slab>();
        for (int i = 0; !out.isEmpty(); i++) {
            if (i % 16 == 0) scattered.push(out.pop());
            else pool.give(out.pop(), Slab.Owner.OUTPUT);
        }
        assertTrue(pool.mayReceive());
        assertNull(pool.takeForReceive());
        out.addAll(scattered);
        takeSmall(CAP / SlabPool.SMALL - scattered.size());
        giveAll();
        assertNotNull(pool.takeForReceive());
    }

    // Peaks.

    @Test
    void the_memory_of_a_peak_is_given_up() {
        takeLarge(6 * 16);
        takeSmall(500);
        giveAll();
        assertTrue(pool.bytesHeld() >= 7 * MIB - 100_000);
        pool.trim();
        assertTrue(pool.bytesHeld() <= MIB + 128 * 1024, pool.bytesHeld() + " bytes");
        assertEquals(0, pool.missing());
    }

    @Test
    void a_slow_trim_forgets_what_nobody_needed_since_the_last() {
        takeLarge(6 * 16);
        giveAll();
        assertTrue(pool.mayBeTrimmed());
        assertTrue(pool.trimUnused());
        assertEquals(6 * MIB, pool.bytesHeld());
        takeLarge(3 * 16);
        giveAll();
        assertTrue(pool.trimUnused());
        assertEquals(3 * MIB, pool.bytesHeld());
        assertFalse(pool.trimUnused());
        assertEquals(MIB, pool.bytesHeld());
        assertFalse(pool.mayBeTrimmed());
        assertEquals(0, pool.missing());
    }

    @Test
    void a_slow_trim_forgets_what_borrowers_have_needed() {
        var borrowed = new ArrayDeque<Slab>();
        for (int i = 0; i < 6 * 16; i++) borrowed.push(pool.reserve().take(true, Slab.Owner.OUTPUT));
        while (!borrowed.isEmpty()) pool.give(borrowed.pop(), Slab.Owner.OUTPUT);
        assertTrue(pool.trimUnused());
        assertFalse(pool.trimUnused());
        assertEquals(MIB, pool.bytesHeld());
        assertEquals(0, pool.missing());
    }

    @Test
    void a_loop_that_has_ended_keeps_the_blocks_of_what_is_still_out() {
        takeLarge(1);
        takeSmall(1);
        var late = pool.reserve().take(false, Slab.Owner.OUTPUT);
        giveAll();
        pool.release();
        assertEquals(128 << 10, pool.bytesHeld());
        assertEquals(1, pool.missing());
        pool.reserve().give(late, Slab.Owner.OUTPUT);
        assertEquals(0, pool.missing());
    }

    @Test
    void a_loop_that_has_ended_hands_out_nothing_of_what_it_gave_up() {
        pool.give(pool.reserve().take(false, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        pool.give(pool.take(false, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        pool.release();
        var next = new SlabPool(CAP, true);
        var addresses = new HashSet<Long>();
        for (var slab : List.of(
                next.take(false, Slab.Owner.OUTPUT),
                next.reserve().take(false, Slab.Owner.OUTPUT),
                pool.reserve().take(false, Slab.Owner.OUTPUT),
                pool.reserve().take(false, Slab.Owner.OUTPUT))) {
            assertTrue(addresses.add(slab.writeAddress()), "one memory, two slabs");
        }
    }

    /// Unless the collector comes in between.
    @Test
    void the_memory_of_a_loop_that_has_ended_is_used_by_the_next() {
        boolean isUsedAgain = false;
        for (int i = 0; i < 100 && !isUsedAgain; i++) {
            long before = addressOfNext();
            isUsedAgain = addressOfNext() == before;
        }
        assertTrue(isUsedAgain);
    }

    private static long addressOfNext() {
        var next = new SlabPool(CAP, true);
        var slab = next.take(true, Slab.Owner.OUTPUT);
        next.give(slab, Slab.Owner.OUTPUT);
        next.release();
        return slab.writeAddress();
    }

    @Test
    void a_block_stays_while_one_of_its_slabs_is_out() {
        takeLarge(6 * 16);
        var one = out.pollLast();
        giveAll();
        pool.trim();
        assertEquals(2 * MIB, pool.bytesHeld());
        assertEquals(1, pool.missing());
        pool.give(requireNonNull(one), Slab.Owner.OUTPUT);
        pool.trim();
        assertEquals(MIB, pool.bytesHeld());
    }

    @Test
    void what_was_given_up_can_be_had_again() {
        for (int i = 0; i < 5; i++) {
            takeLarge(8 * 16);
            giveAll();
            pool.trim();
        }
        assertEquals(0, pool.missing());
    }

    @Test
    void a_slab_kept_after_its_block_was_given_up_is_still_memory() {
        takeLarge(32);
        var kept = out.getFirst();
        giveAll();
        pool.trim();
        kept.memory.fill((byte) 1);
        assertEquals(1, kept.memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 100));
    }

    // Without pooling.

    @Test
    void without_pooling_each_slab_is_new() {
        var unpooled = new SlabPool(CAP, false);
        var first = unpooled.take(true, Slab.Owner.OUTPUT);
        assertEquals(SlabPool.LARGE, unpooled.bytesHeld());
        unpooled.give(first, Slab.Owner.OUTPUT);
        assertEquals(0, unpooled.bytesHeld());
        assertNotSame(first, unpooled.take(true, Slab.Owner.OUTPUT));
        assertEquals(1, unpooled.missing());
    }

    @Test
    void without_pooling_the_reserve_keeps_nothing_either() {
        var unpooled = new SlabPool(CAP, false);
        var first = unpooled.reserve().take(true, Slab.Owner.OUTPUT);
        unpooled.reserve().give(first, Slab.Owner.OUTPUT);
        var second = unpooled.reserve().take(true, Slab.Owner.OUTPUT);
        unpooled.give(second, Slab.Owner.OUTPUT);
        assertNotSame(first, second);
        assertEquals(0, unpooled.bytesHeld());
        assertEquals(0, unpooled.missing());
    }

    @Test
    void without_pooling_the_cap_holds() {
        var unpooled = new SlabPool(4 * MIB, false);
        for (int i = 0; i < 4 * 16; i++) out.push(unpooled.take(true, Slab.Owner.OUTPUT));
        assertThrows(Overflow.class, () -> unpooled.take(true, Slab.Owner.OUTPUT));
        unpooled.give(out.pop(), Slab.Owner.OUTPUT);
        unpooled.take(true, Slab.Owner.OUTPUT);
    }
}
