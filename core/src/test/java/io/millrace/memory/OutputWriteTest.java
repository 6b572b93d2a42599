package io.millrace.memory;

import static io.millrace.memory.Arrivals.bytes;
import static io.millrace.memory.Arrivals.count;
import static io.millrace.memory.Arrivals.slabs;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputWriteTest {
    private static final long MARK = 100_000;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final Watched watched = new Watched();
    private final LoopOutput output = new LoopOutput(pool, MARK, watched);

    @AfterEach
    void every_slab_comes_home() {
        output.release();
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }

    private String hex() {
        return HexFormat.of().formatHex(bytes(output.chain()));
    }

    @Test
    void numbers_are_big_endian() {
        output.writeByte(0xf0).writeShort(0xf1f2).writeInt(0xf3f4f5f6).writeLong(0xf7f8f9fafbfcfdfeL);
        assertEquals("f0f1f2f3f4f5f6f7f8f9fafbfcfdfe", hex());
        assertEquals(15, output.size());
    }

    @Test
    void numbers_are_little_endian_where_the_name_says_so() {
        output.writeShortLE(0xf1f2).writeIntLE(0xf3f4f5f6).writeLongLE(0xf7f8f9fafbfcfdfeL);
        assertEquals("f2f1f6f5f4f3fefdfcfbfaf9f8f7", hex());
    }

    @Test
    void of_a_number_the_low_bytes_are_written() {
        output.writeByte(0x1f0).writeShort(0x1f1f2).writeShortLE(0x1f1f2);
        assertEquals("f0f1f2f2f1", hex());
    }

    @Test
    void a_channel_is_read_once_and_no_further_than_asked() throws IOException {
        var channel = Channels.newChannel(new ByteArrayInputStream(new byte[] {1, 2, 3, 4, 5}));
        output.writeByte(0);
        assertEquals(3, output.write(channel, 3));
        assertEquals(2, output.write(channel, 100_000));
        assertEquals("000102030405", hex());
        assertEquals(6, output.size());
    }

    @Test
    void nothing_stays_of_a_channel_that_has_ended() throws IOException {
        assertEquals(-1, output.write(Channels.newChannel(InputStream.nullInputStream()), 100));
        assertEquals(0, output.size());
        assertEquals(0, output.chain().count());
    }

    @Test
    void nothing_stays_of_a_channel_that_throws() throws IOException {
        var channel = Channels.newChannel(new ByteArrayInputStream(new byte[5]));
        channel.close();
        output.writeByte(7);
        assertThrows(ClosedChannelException.class, () -> output.write(channel, 100_000));
        assertEquals("07", hex());
    }

    @Test
    void while_memory_is_tight_a_little_more_takes_small_slabs() {
        var others = new Chain();
        while (!pool.isTight()) others.append(pool.take(true, Slab.Owner.OUTPUT));
        long before = pool.bytesOut();
        output.write(new byte[4096], 0, 4096);
        assertEquals(before + 2 * SlabPool.SMALL, pool.bytesOut());
        output.write(new byte[SlabPool.LARGE], 0, SlabPool.LARGE);
        assertEquals(before + 2 * SlabPool.SMALL + SlabPool.LARGE, pool.bytesOut());
        others.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void text_is_written_in_utf8() {
        output.writeUtf8("水車").writeUtf8("");
        assertArrayEquals(Bytes.utf8("水車").toArray(), bytes(output.chain()));
    }

    @Test
    void a_part_of_an_array_is_copied() {
        byte[] array = {1, 2, 3, 4, 5};
        output.write(array, 1, 3).write(array, 5, 0);
        array[2] = 9;
        assertEquals("020304", hex());
    }

    @Test
    void a_part_outside_of_the_array_is_refused_and_nothing_is_written() {
        var array = new byte[4];
        assertThrows(IndexOutOfBoundsException.class, () -> output.write(array, 2, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> output.write(array, -1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> output.write(array, 0, -1));
        assertEquals(0, output.size());
        assertEquals(0, watched.began);
    }

    @Test
    void a_number_is_never_split_between_slabs() {
        output.write(count(SlabPool.SMALL - 3), 0, SlabPool.SMALL - 3).writeLong(-1);
        assertEquals(
                List.of(SlabPool.SMALL - 3, 8),
                slabs(output.chain()).stream().map(Slab::readable).toList());
    }

    // Memory.

    @Test
    void a_short_answer_takes_a_small_slab() {
        output.writeInt(1).write(new byte[2000], 0, 2000);
        assertEquals(SlabPool.SMALL, pool.bytesOut());
    }

    @Test
    void what_fills_a_small_slab_goes_on_in_a_large_one() {
        for (int i = 0; i < 1000; i++) output.writeInt(i);
        assertEquals(SlabPool.SMALL + SlabPool.LARGE, pool.bytesOut());
    }

    @Test
    void a_long_array_takes_a_large_slab_at_once() {
        output.write(count(60_000), 0, 60_000);
        assertEquals(SlabPool.LARGE, pool.bytesOut());
        assertEquals(1, output.chain().count());
    }

    @Test
    void an_array_longer_than_a_slab_goes_on_in_the_next() {
        byte[] array = count(200_000);
        output.write(array, 0, array.length);
        assertArrayEquals(array, bytes(output.chain()));
        assertEquals(4, output.chain().count());
    }

    @Test
    void headers_between_values_sent_by_reference_take_small_slabs() {
        var value = Bytes.of(count(Bytes.BY_REFERENCE));
        for (int i = 0; i < 20; i++) output.writeInt(2000).write(value);
        assertEquals(20 * SlabPool.SMALL, pool.bytesOut());
    }

    @Test
    void every_slab_of_an_output_is_its_own() {
        output.write(count(200_000), 0, 200_000).write(Bytes.of(count(5000)));
        for (var slab : slabs(output.chain())) assertEquals(Slab.Owner.OUTPUT, slab.owner());
    }

    @Test
    void a_borrower_draws_from_where_it_was_told_to() {
        output.drawFrom(pool.reserve());
        output.writeByte(1);
        assertEquals(SlabPool.SMALL, pool.reserve().bytesOut());
        output.drawFrom(pool);
    }

    // Values.

    @Test
    void a_small_value_is_copied() {
        var value = Bytes.of(count(Bytes.BY_REFERENCE - 1));
        output.writeByte(7).write(value).writeByte(8);
        assertEquals(value.length() + 2, output.size());
        for (var slab : slabs(output.chain())) assertTrue(slab.room() > 0 || slab.isSmall());
    }

    @Test
    void a_small_value_for_many_is_copied_once() {
        var value = Bytes.of(count(1024));
        for (int i = 0; i < 10_000; i++) output.write(value);
        assertEquals(10_240_000, output.size());
        assertTrue(pool.bytesOut() < 200_000, pool.bytesOut() + " bytes of slabs");
        assertArrayEquals(value.toArray(), Arrays.copyOf(bytes(output.chain()), 1024));
        output.chain().drop(9_999 * 1024, Slab.Owner.OUTPUT, pool);
        assertArrayEquals(value.toArray(), bytes(output.chain()));
    }

    @Test
    void a_small_value_is_referred_to_while_memory_is_tight() {
        var hog = LoopOutput.aside(pool);
        while (!pool.isTight()) hog.write(new byte[1 << 20], 0, 1 << 20);
        output.write(Bytes.of(count(20_000)));
        assertEquals(0, slabs(output.chain()).getFirst().room());
        assertEquals(1, output.chain().count());
        hog.release();
    }

    @Test
    void a_large_value_is_sent_from_where_it_is() {
        var value = Bytes.of(count(Bytes.BY_REFERENCE));
        output.writeByte(7).write(value).writeByte(8);
        var reference = slabs(output.chain()).get(1);
        assertEquals(value.segment().address(), reference.readAddress());
        assertEquals(value.length(), reference.readable());
        assertEquals(3, output.chain().count());
    }

    @Test
    void nothing_is_written_into_a_value() {
        var value = Bytes.of(count(5000));
        output.write(value).writeLong(-1).write(value).write(new byte[100], 0, 100);
        assertArrayEquals(count(5000), value.toArray());
    }

    @Test
    void a_value_may_be_written_more_than_once_and_to_more_than_one() {
        var value = Bytes.of(count(40_000));
        var other = new LoopOutput(pool, MARK, new Watched());
        output.write(value).write(value);
        other.write(value);
        output.chain().drop(40_000, Slab.Owner.OUTPUT, pool);
        assertArrayEquals(count(40_000), bytes(output.chain()));
        assertArrayEquals(count(40_000), bytes(other.chain()));
    }

    @Test
    void an_empty_value_is_nothing() {
        output.write(Bytes.EMPTY).writeUtf8("").write(new byte[0], 0, 0);
        assertEquals(0, output.size());
        assertEquals(0, watched.began);
        assertEquals(0, pool.missing());
    }

    // The watcher.

    @Test
    void the_watcher_hears_of_the_first_byte_only() {
        output.writeByte(1).writeLong(2).write(new byte[100_000], 0, 100_000);
        assertEquals(1, watched.began);
    }

    @Test
    void the_watcher_hears_again_when_the_output_was_emptied() {
        output.writeByte(1);
        output.chain().drop(1, Slab.Owner.OUTPUT, pool);
        output.write(Bytes.of(new byte[5000]));
        assertEquals(2, watched.began);
        output.release();
        output.appendAll(outputSlabs(10));
        assertEquals(3, watched.began);
        output.appendAll(outputSlabs(10));
        assertEquals(3, watched.began);
    }

    @Test
    void appending_no_slabs_is_no_beginning() {
        output.appendAll(new Chain());
        assertEquals(0, watched.began);
    }

    @Test
    void the_watcher_hears_of_too_much_when_a_slab_is_full() {
        output.write(new byte[(int) MARK], 0, (int) MARK);
        assertEquals(0, watched.full);
        while (output.chain().count() == 2) output.writeLong(1);
        assertTrue(output.size() > MARK);
        assertEquals(1, watched.full);
    }

    @Test
    void the_watcher_hears_of_too_much_when_slabs_were_appended() {
        output.appendAll(outputSlabs((int) MARK));
        assertEquals(0, watched.full);
        output.appendAll(outputSlabs(1));
        assertEquals(1, watched.full);
    }

    @Test
    void the_watcher_hears_of_a_value_that_is_too_much() {
        output.write(Bytes.of(new byte[(int) MARK + 1]));
        assertEquals(1, watched.full);
    }

    @Test
    void the_mark_can_be_moved() {
        output.mark(10_000);
        output.write(Bytes.of(new byte[10_001]));
        assertEquals(1, watched.full);
        output.mark(Long.MAX_VALUE);
        output.write(Bytes.of(new byte[200_000]));
        assertEquals(1, watched.full);
    }

    @Test
    void what_the_watcher_throws_reaches_the_writer() {
        watched.whenFull = () -> {
            throw new Overflow("too much");
        };
        assertThrows(Overflow.class, () -> output.write(new byte[300_000], 0, 300_000));
        assertTrue(output.size() <= MARK + SlabPool.LARGE, output.size() + " bytes");
    }

    @Test
    void a_watcher_that_sends_makes_room_in_the_middle_of_a_write() {
        var sent = new Chain();
        watched.whenFull = () -> sent.appendAll(output.chain());
        byte[] array = count(500_000);
        output.write(array, 0, array.length);
        assertTrue(output.size() <= MARK + SlabPool.LARGE, output.size() + " bytes");
        assertEquals(1 + watched.full, watched.began);
        sent.appendAll(output.chain());
        assertArrayEquals(array, bytes(sent));
        sent.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    @Test
    void without_memory_a_write_says_which_limit_to_raise() {
        var little = new SlabPool(4 << 20, true);
        var greedy = new LoopOutput(little, Long.MAX_VALUE, watched);
        var overflow = assertThrows(Overflow.class, () -> greedy.write(new byte[5 << 20], 0, 5 << 20));
        assertEquals(
                "the event loop has no memory left under its cap of 4194304 bytes (slabs.bytes): raise it with "
                        + "EventLoops.Setup.memory, or let peers read faster",
                overflow.getMessage());
        greedy.release();
        assertEquals(0, little.missing());
    }

    @Test
    void what_was_written_is_taken_by_the_loop() {
        output.writeByte(1);
        var chain = output.chain();
        var taken = new Chain();
        taken.appendAll(chain);
        assertEquals(0, output.size());
        assertSame(chain, output.chain());
        assertFalse(taken.isEmpty());
        taken.releaseAll(Slab.Owner.OUTPUT, pool);
    }

    private Chain outputSlabs(int length) {
        var chain = Arrivals.chain(pool, count(length), length > 1 ? new int[] {length / 2} : new int[0]);
        chain.pass(Slab.Owner.INPUT, Slab.Owner.OUTPUT);
        return chain;
    }
}
