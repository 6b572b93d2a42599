package io.millrace.memory;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Overflow;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class ReserveTest {
    private static final int CAP = 4 << 20;

    private final SlabPool pool = new SlabPool(CAP, true);
    private final Reserve reserve = pool.reserve();

    @Test
    void what_is_borrowed_is_missing_until_it_is_back() {
        var slab = reserve.take(false, Slab.Owner.OUTPUT);
        assertEquals(1, pool.missing());
        assertEquals(SlabPool.SMALL, pool.bytesOut());
        reserve.give(slab, Slab.Owner.OUTPUT);
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void the_balance_holds_when_a_borrowers_slab_comes_back_through_the_loop() {
        var slab = reserve.take(true, Slab.Owner.OUTPUT);
        pool.give(slab, Slab.Owner.OUTPUT);
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void the_balance_holds_when_the_loops_slab_comes_back_through_a_borrower() {
        var slab = requireNonNull(pool.takeForReceive());
        slab.pass(Slab.Owner.KERNEL, Slab.Owner.INPUT);
        reserve.give(slab, Slab.Owner.INPUT);
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void the_loop_finds_again_what_borrowers_gave() {
        var taken = new ArrayDeque<Slab>();
        for (int i = 0; i < 16; i++) taken.push(pool.take(true, Slab.Owner.INPUT));
        long held = pool.bytesHeld();
        for (var slab : taken) reserve.give(slab, Slab.Owner.INPUT);
        for (int i = 0; i < 16; i++) assertTrue(taken.contains(pool.take(true, Slab.Owner.INPUT)));
        assertEquals(held, pool.bytesHeld());
    }

    @Test
    void collecting_takes_back_what_borrowers_gave() {
        var slab = pool.take(false, Slab.Owner.INPUT);
        reserve.give(slab, Slab.Owner.INPUT);
        pool.collect();
        assertSame(slab, pool.take(false, Slab.Owner.INPUT));
    }

    @Test
    void borrowers_that_write_and_a_loop_that_sends_need_no_more_and_more_memory() {
        for (int i = 0; i < 50_000; i++) {
            pool.give(reserve.take(false, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
            pool.give(reserve.take(true, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        }
        assertTrue(pool.bytesHeld() <= 2 << 20, pool.bytesHeld() + " bytes");
        assertEquals(0, pool.missing());
    }

    @Test
    void a_loop_that_receives_and_borrowers_that_read_need_no_more_and_more_memory() {
        for (int i = 0; i < 50_000; i++) {
            var slab = requireNonNull(pool.takeForReceive());
            reserve.give(slab, Slab.Owner.KERNEL);
        }
        assertTrue(pool.bytesHeld() <= 2 << 20, pool.bytesHeld() + " bytes");
        assertEquals(0, pool.missing());
    }

    @Test
    void a_slab_that_ends_on_another_loop_comes_home() {
        var other = new SlabPool(CAP, true);
        var slab = pool.take(true, Slab.Owner.OUTPUT);
        other.give(slab, Slab.Owner.OUTPUT);
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
        assertEquals(0, other.bytesOut());
        pool.collect();
        assertSame(slab, pool.take(true, Slab.Owner.OUTPUT));
    }

    @Test
    void a_slab_that_ends_with_a_borrower_of_another_loop_comes_home() {
        var other = new SlabPool(CAP, true);
        other.reserve().give(pool.take(true, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        other.reserve().give(reserve.take(true, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        other.give(reserve.take(false, Slab.Owner.OUTPUT), Slab.Owner.OUTPUT);
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
        assertEquals(0, other.bytesOut());
    }

    @Test
    void the_cap_is_that_of_pool_and_reserve_together() {
        for (int i = 0; i < 32; i++) pool.take(true, Slab.Owner.OUTPUT);
        for (int i = 0; i < 32; i++) reserve.take(true, Slab.Owner.OUTPUT);
        assertEquals(CAP, pool.bytesOut());
        var overflow = assertThrows(Overflow.class, () -> reserve.take(false, Slab.Owner.OUTPUT));
        assertTrue(String.valueOf(overflow.getMessage()).contains("cap of " + CAP + " bytes (slabs.bytes)"));
        assertEquals(64, pool.missing());
    }

    @Test
    void a_borrower_takes_the_other_size_when_the_memory_is_short() {
        var large = reserve.take(true, Slab.Owner.OUTPUT);
        for (int i = 1; i < 64; i++) reserve.take(true, Slab.Owner.OUTPUT);
        reserve.give(large, Slab.Owner.OUTPUT);
        assertSame(large, reserve.take(false, Slab.Owner.OUTPUT));
    }

    @Test
    void the_memory_of_a_peak_of_borrowers_is_given_up() {
        var taken = new ArrayDeque<Slab>();
        for (int i = 0; i < 48; i++) taken.push(reserve.take(true, Slab.Owner.OUTPUT));
        while (taken.size() > 24) reserve.give(taken.pop(), Slab.Owner.OUTPUT);
        while (!taken.isEmpty()) pool.give(taken.pop(), Slab.Owner.OUTPUT);
        pool.trim();
        assertEquals(1 << 20, pool.bytesHeld());
        assertEquals(0, pool.missing());
    }
}
