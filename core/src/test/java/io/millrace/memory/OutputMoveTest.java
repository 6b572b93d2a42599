package io.millrace.memory;

import static io.millrace.memory.Arrivals.bytes;
import static io.millrace.memory.Arrivals.count;
import static io.millrace.memory.Arrivals.slabs;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Underflow;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputMoveTest {
    private static final long MARK = 100_000;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);
    private final Watched watched = new Watched();
    private final LoopOutput output = new LoopOutput(pool, MARK, watched);

    @AfterEach
    void every_slab_comes_home() {
        input.release();
        output.release();
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    private LoopInput lent(int length, int... cuts) {
        input.appendAll(Arrivals.chain(pool, count(length), cuts));
        input.lend(pool);
        return input;
    }

    @Test
    void a_whole_slab_changes_hands() {
        var slab = lent(5).head();
        output.move(input);
        assertSame(slab, output.chain().head());
        assertEquals(Slab.Owner.OUTPUT, slab.owner());
        assertEquals(1, watched.began);
        assertTrue(input.isEmpty());
    }

    @Test
    void every_whole_slab_changes_hands() {
        lent(60_000, 20_000, 40_000);
        var first = input.head();
        var second = first.next();
        output.move(input);
        assertEquals(3, output.chain().count());
        assertSame(first, slabs(output.chain()).get(0));
        assertSame(second, slabs(output.chain()).get(1));
        assertArrayEquals(count(60_000), bytes(output.chain()));
    }

    @Test
    void the_rest_of_a_slab_that_was_begun_changes_hands() {
        var slab = lent(5_000).head();
        input.skip(3);
        output.move(input, 4_997);
        assertSame(slab, output.chain().head());
        assertArrayEquals(Arrays.copyOfRange(count(5_000), 3, 5_000), bytes(output.chain()));
    }

    @Test
    void a_part_of_a_slab_is_copied() {
        var slab = lent(5_000).head();
        output.move(input, 4_999);
        assertNotSame(slab, output.chain().head());
        assertSame(slab, input.head());
        assertEquals(1, input.remaining());
        assertArrayEquals(count(4_999), bytes(output.chain()));
    }

    @Test
    void a_part_may_be_whole_slabs_and_the_beginning_of_one() {
        lent(10_000, 4_000);
        output.move(input, 7_000);
        assertArrayEquals(count(7_000), bytes(output.chain()));
        assertEquals((byte) (7_000 % 251), input.readByte());
    }

    @Test
    void a_few_bytes_are_copied_behind_what_is_written() {
        output.writeByte(0);
        lent(1024).skip(1);
        output.move(input);
        assertEquals(1, output.chain().count());
        assertEquals(SlabPool.SMALL, pool.bytesOut());
        assertArrayEquals(count(1024), bytes(output.chain()));
    }

    @Test
    void a_few_bytes_change_hands_where_there_is_no_room_for_a_copy() {
        output.write(Bytes.of(new byte[Bytes.BY_REFERENCE]));
        var slab = lent(5).head();
        output.move(input);
        assertSame(slab, slabs(output.chain()).get(1));
    }

    @Test
    void bytes_of_the_heap_are_copied_into_slabs() {
        var value = Bytes.of(count(1000));
        output.move(LoopInput.of(value)).writeByte(0).move(LoopInput.of(value), 300);
        for (var slab : slabs(output.chain())) assertTrue(slab.memory.isNative());
        assertEquals(1301, output.size());
        assertArrayEquals(count(1000), Arrays.copyOf(bytes(output.chain()), 1000));
    }

    @Test
    void bytes_of_the_heap_are_copied_into_slabs_on_their_way_to_another_loop() {
        input.appendAll(LoopInput.of(Bytes.of(count(1000))));
        lent(3000, 10);
        var taken = input.takeAll();
        for (var slab : slabs(taken)) assertTrue(slab.memory.isNative());
        assertEquals(4000, taken.size());
        taken.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void packets_for_a_slow_reader_share_slabs() {
        for (int i = 0; i < 100; i++) {
            lent(1_460);
            output.move(input);
            input.endLoan(pool);
        }
        assertEquals(146_000, output.size());
        assertTrue(pool.bytesOut() <= 4 * 146_000, pool.bytesOut() + " bytes");
        output.chain().drop(99 * 1_460, Slab.Owner.OUTPUT, pool);
        assertArrayEquals(count(1_460), bytes(output.chain()));
    }

    @Test
    void what_is_written_next_goes_behind_what_was_moved() {
        output.move(lent(5)).writeByte(5).writeShort(0x0607);
        assertEquals(1, output.chain().count());
        assertArrayEquals(count(8), bytes(output.chain()));
    }

    @Test
    void what_is_written_next_does_not_touch_what_is_left_of_the_input() {
        lent(2_000);
        output.move(input, 1_000).writeLong(-1);
        assertArrayEquals(
                Arrays.copyOfRange(count(2_000), 1_000, 2_000),
                input.readBytes(1_000).toArray());
    }

    @Test
    void of_a_frame_no_more_is_moved_than_it_shows() {
        lent(5_000, 2_000);
        long hidden = input.narrow(3_000);
        output.move(input);
        input.widen(hidden);
        assertArrayEquals(count(3_000), bytes(output.chain()));
        assertEquals(2_000, input.remaining());
    }

    @Test
    void nothing_can_be_moved() {
        output.move(lent(0)).move(input, 0);
        assertEquals(0, output.size());
        assertEquals(0, watched.began);
    }

    @Test
    void more_than_there_is_cannot_be_moved() {
        lent(5_000, 2_000);
        assertThrows(Underflow.class, () -> output.move(input, 5_001));
        assertThrows(IndexOutOfBoundsException.class, () -> output.move(input, -1));
        assertEquals(5_000, input.remaining());
        assertEquals(0, output.size());
    }

    @Test
    void the_watcher_hears_of_too_much() {
        lent((int) MARK, 50_000);
        output.move(input);
        assertEquals(0, watched.full);
        lent(1);
        output.move(input);
        assertEquals(1, watched.full);
    }

    @Test
    void a_watcher_that_sends_makes_room_in_the_middle_of_a_move() {
        var sent = new Chain();
        watched.whenFull = () -> sent.appendAll(output.chain());
        output.writeByte(9);
        lent(200_000, 60_000, 120_000, 180_000);
        output.move(input, 199_999);
        sent.appendAll(output.chain());
        sent.drop(1, Slab.Owner.OUTPUT, pool);
        assertArrayEquals(count(199_999), bytes(sent));
        sent.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void slabs_of_another_loop_change_hands_and_go_home() {
        var other = new SlabPool(4 << 20, true);
        var foreign = Arrivals.lent(other, count(5_000));
        output.move(foreign);
        assertEquals(1, other.missing());
        output.chain().drop(5_000, Slab.Owner.OUTPUT, pool);
        assertEquals(0, other.missing());
        assertEquals(0, other.bytesOut());
    }
}
