package io.millrace.memory;

import static io.millrace.memory.Arrivals.count;
import static io.millrace.memory.Arrivals.received;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// How much memory unread bytes hold.
class InputMemoryTest {
    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);

    @AfterEach
    void every_slab_comes_home() {
        input.release();
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    private void arrive(int length) {
        input.append(received(pool, count(length)), Slab.Owner.KERNEL);
    }

    @Test
    void the_first_arrival_stays_in_its_slab() {
        var slab = received(pool, (byte) 1);
        input.append(slab, Slab.Owner.KERNEL);
        input.lend(pool);
        assertSame(slab, input.head());
        assertEquals(Slab.Owner.INPUT, slab.owner());
    }

    @Test
    void small_arrivals_share_a_slab() {
        for (int i = 0; i < 1000; i++) arrive(60);
        assertEquals(1, pool.missing());
        input.lend(pool);
        for (int i = 0; i < 1000; i++)
            assertArrayEquals(count(60), input.readBytes(60).toArray());
    }

    @Test
    void small_arrivals_take_another_slab_when_the_last_has_no_room() {
        for (int i = 0; i < SlabPool.LARGE / 1000 + 1; i++) arrive(1000);
        assertEquals(2, pool.missing());
    }

    @Test
    void a_larger_arrival_keeps_its_slab() {
        arrive(10);
        arrive(SlabPool.LARGE / 4 + 1);
        assertEquals(2, pool.missing());
    }

    @Test
    void packets_that_wait_share_slabs() {
        for (int i = 0; i < 1000; i++) arrive(1460);
        assertTrue(pool.missing() <= 1000 * 1460 / (SlabPool.LARGE - 1460) + 1, pool.missing() + " slabs");
        input.lend(pool);
        for (int i = 0; i < 1000; i++)
            assertArrayEquals(count(1460), input.readBytes(1460).toArray());
    }

    @Test
    void whatever_arrives_a_quarter_of_the_memory_is_used() {
        for (int length = 1; length <= SlabPool.LARGE; length += 1023) {
            for (int i = 0; i < 40; i++) arrive(length);
            long atMost = 4 * input.size() + SlabPool.LARGE;
            assertTrue(pool.bytesOut() <= atMost, pool.bytesOut() + " bytes for " + input.size());
            input.release();
        }
    }

    @Test
    void a_chain_of_small_arrivals_joins_the_last_slab() {
        arrive(10);
        input.appendAll(Arrivals.chain(pool, count(100), 30, 60));
        assertEquals(1, pool.missing());
        input.lend(pool);
        input.skip(10);
        assertArrayEquals(count(100), input.readBytes(100).toArray());
    }

    @Test
    void a_chain_of_slabs_joins_an_empty_input_as_it_is() {
        var chain = Arrivals.chain(pool, count(100), 50);
        var slabs = Arrivals.slabs(chain);
        input.appendAll(chain);
        assertTrue(chain.isEmpty());
        input.lend(pool);
        assertSame(slabs.getFirst(), input.takeHead());
        assertSame(slabs.getLast(), input.head());
        pool.give(slabs.getFirst(), Slab.Owner.INPUT);
    }

    @Test
    void a_few_bytes_left_move_to_a_small_slab() {
        arrive(40_000);
        input.lend(pool);
        input.skip(39_000);
        input.endLoan(pool);
        input.compact();
        assertEquals(SlabPool.SMALL, pool.bytesOut());
        input.lend(pool);
        assertEquals((byte) (39_000 % 251), input.peekByte(0));
        assertEquals((byte) (39_999 % 251), input.peekByte(999));
    }

    @Test
    void a_few_bytes_left_in_several_slabs_move_to_one() {
        input.appendAll(Arrivals.chain(pool, count(900), 300, 600));
        input.compact();
        assertEquals(SlabPool.SMALL, pool.bytesOut());
        input.lend(pool);
        assertArrayEquals(count(900), input.readBytes(900).toArray());
    }

    @Test
    void more_than_a_few_bytes_stay_where_they_are() {
        arrive(1025);
        input.compact();
        assertEquals(SlabPool.LARGE, pool.bytesOut());
    }

    @Test
    void while_memory_is_tight_more_moves_to_several_small_slabs() {
        var others = tight();
        long before = pool.bytesOut();
        arrive(15_000);
        input.compact();
        assertEquals(before + 8 * SlabPool.SMALL, pool.bytesOut());
        var head = input.head();
        input.compact();
        assertSame(head, input.head());
        input.lend(pool);
        assertArrayEquals(count(15_000), input.readBytes(15_000).toArray());
        others.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void while_memory_is_tight_what_fills_a_quarter_of_its_slab_stays() {
        var others = tight();
        long before = pool.bytesOut();
        arrive(SlabPool.LARGE / 4 + 1);
        input.compact();
        assertEquals(before + SlabPool.LARGE, pool.bytesOut());
        others.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    /// Slabs that somebody else has.
    private Chain tight() {
        var others = new Chain();
        while (!pool.isTight()) others.append(pool.take(true, Slab.Owner.OUTPUT));
        return others;
    }

    @Test
    void what_is_compact_stays_where_it_is() {
        arrive(10);
        input.compact();
        var small = input.head();
        input.compact();
        assertSame(small, input.head());
    }

    @Test
    void an_empty_input_has_nothing_to_compact() {
        input.compact();
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void arrivals_join_a_small_slab_while_it_has_room() {
        arrive(1000);
        input.compact();
        arrive(1000);
        assertEquals(SlabPool.SMALL, pool.bytesOut());
        arrive(1000);
        assertEquals(SlabPool.SMALL + SlabPool.LARGE, pool.bytesOut());
    }

    @Test
    void without_memory_the_bytes_stay_where_they_are() {
        arrive(10);
        var hog = new Chain();
        assertThrows(io.millrace.bytes.Overflow.class, () -> {
            while (true) hog.append(pool.take(true, Slab.Owner.OUTPUT));
        });
        input.compact();
        input.lend(pool);
        assertArrayEquals(count(10), input.readBytes(10).toArray());
        hog.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void everything_can_be_taken_as_output_slabs() {
        input.appendAll(Arrivals.chain(pool, count(60_000), 20_000));
        input.lend(pool);
        input.skip(10);
        var taken = input.takeAll();
        assertEquals(59_990, taken.size());
        assertEquals(0, input.remaining());
        assertEquals(List.of(Slab.Owner.OUTPUT, Slab.Owner.OUTPUT), owners(taken));
        taken.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void a_frame_alone_cannot_be_taken_as_slabs() {
        arrive(10);
        input.lend(pool);
        input.narrow(5);
        assertThrows(IllegalStateException.class, input::takeAll);
    }

    @Test
    void a_borrower_gives_to_whom_it_was_told_to() {
        arrive(10);
        input.lend(pool.reserve());
        input.skip(10);
        assertEquals(-SlabPool.LARGE, pool.reserve().bytesOut());
        assertEquals(0, pool.bytesOut());
    }

    private static List<Slab.Owner> owners(Chain chain) {
        return Arrivals.slabs(chain).stream().map(Slab::owner).toList();
    }

    @Test
    void what_is_packed_takes_little_more_than_its_bytes() {
        for (int i = 0; i < 5; i++) arrive(SlabPool.LARGE / 4 + 1 + i);
        assertTrue(input.slackBytes() > 2 * input.size(), () -> "" + input.slackBytes());
        long size = input.size();
        input.pack();
        assertEquals(0, input.slackBytes());
        assertTrue(pool.bytesOut() < size + SlabPool.SMALL, () -> "" + pool.bytesOut());
        input.lend(pool);
        for (int i = 0; i < 5; i++) {
            int length = SlabPool.LARGE / 4 + 1 + i;
            assertArrayEquals(count(length), input.readBytes(length).toArray());
        }
    }

    @Test
    void slabs_that_are_nearly_full_stay_when_the_others_are_packed() {
        int length = SlabPool.LARGE - 1000;
        arrive(length);
        arrive(20_000);
        arrive(length);
        input.pack();
        assertEquals(0, input.slackBytes());
        assertTrue(pool.bytesOut() < 2 * SlabPool.LARGE + 20_000 + SlabPool.SMALL, () -> "" + pool.bytesOut());
        input.lend(pool);
        for (int each : List.of(length, 20_000, length))
            assertArrayEquals(count(each), input.readBytes(each).toArray());
    }

    @Test
    void what_is_packed_stays_as_it_is_without_memory() {
        var little = new SlabPool(4 << 20, true);
        var all = new LoopInput(little);
        while (little.canReceive()) all.append(received(little, count(50_000)), Slab.Owner.KERNEL);
        long size = all.size();
        all.pack();
        assertEquals(size, all.size());
        all.lend(little);
        while (all.remaining() > 0)
            assertArrayEquals(count(50_000), all.readBytes(50_000).toArray());
        all.release();
        assertEquals(0, little.missing());
    }
}
