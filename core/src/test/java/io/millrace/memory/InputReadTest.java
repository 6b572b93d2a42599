package io.millrace.memory;

import static io.millrace.memory.Arrivals.lent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Underflow;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InputReadTest {
    private static final byte[] BYTES = HexFormat.of().parseHex("f0f1f2f3f4f5f6f7f8");

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);

    /// Whole, cut in two at each place, and every byte in a slab of its own.
    static Stream<int[]> cuts() {
        var inTwo = IntStream.range(1, BYTES.length).mapToObj(at -> new int[] {at});
        return Stream.concat(
                Stream.of(new int[0], IntStream.range(1, BYTES.length).toArray()), inTwo);
    }

    @AfterEach
    void every_slab_comes_home() {
        input.release();
        assertEquals(0, pool.missing());
    }

    private Input arrived(byte[] bytes, int... cuts) {
        input.appendAll(Arrivals.chain(pool, bytes, cuts));
        input.lend(pool);
        return input;
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void numbers_are_big_endian(int[] cuts) {
        assertEquals((byte) 0xf0, arrived(BYTES, cuts).readByte());
        assertEquals((short) 0xf1f2, input.readShort());
        assertEquals(0xf3f4f5f6, input.readInt());
        assertEquals(2, input.remaining());
        input.release();
        assertEquals(0xf0f1f2f3f4f5f6f7L, arrived(BYTES, cuts).readLong());
        assertEquals(1, input.remaining());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void bytes_can_be_copied_from_anywhere_and_stay_unread(int[] cuts) {
        arrived(BYTES, cuts);
        for (int from = 0; from <= BYTES.length; from++) {
            for (int length = 0; from + length <= BYTES.length; length++) {
                var copy = new byte[length + 2];
                input.peek(from, copy, 1, length);
                assertArrayEquals(
                        Arrays.copyOfRange(BYTES, from, from + length), Arrays.copyOfRange(copy, 1, 1 + length));
                assertEquals(0, copy[0] | copy[length + 1]);
            }
        }
        assertEquals(BYTES.length, input.remaining());
        assertThrows(Underflow.class, () -> input.peek(1, new byte[BYTES.length], 0, BYTES.length));
        assertThrows(IndexOutOfBoundsException.class, () -> input.peek(-1, new byte[1], 0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> input.peek(0, new byte[1], 1, 1));
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void numbers_are_little_endian_where_the_name_says_so(int[] cuts) {
        assertEquals((short) 0xf1f0, arrived(BYTES, cuts).readShortLE());
        assertEquals(0xf5f4f3f2, input.readIntLE());
        input.release();
        assertEquals(0xf7f6f5f4f3f2f1f0L, arrived(BYTES, cuts).readLongLE());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void unsigned_numbers_are_never_negative(int[] cuts) {
        assertEquals(0xf0, arrived(BYTES, cuts).readUnsignedByte());
        assertEquals(0xf1f2, input.readUnsignedShort());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void peeking_sees_every_position_and_consumes_nothing(int[] cuts) {
        arrived(BYTES, cuts);
        for (int at = 0; at < BYTES.length; at++) assertEquals(BYTES[at], input.peekByte(at));
        assertEquals((short) 0xf7f8, input.peekShort(7));
        assertEquals(0xf5f6f7f8, input.peekInt(5));
        assertEquals(0xf1f2f3f4f5f6f7f8L, input.peekLong(1));
        assertEquals(BYTES.length, input.remaining());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_part_of_an_array_is_filled(int[] cuts) {
        var to = new byte[9];
        arrived(BYTES, cuts).skip(1);
        input.read(to, 1, 7);
        assertArrayEquals(HexFormat.of().parseHex("00f1f2f3f4f5f6f700"), to);
        assertEquals(1, input.remaining());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_value_is_read_across_slabs(int[] cuts) {
        var value = arrived(BYTES, cuts).readBytes(8);
        assertArrayEquals(HexFormat.of().parseHex("f0f1f2f3f4f5f6f7"), value.toArray());
        assertEquals((byte) 0xf8, input.readByte());
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void skipping_goes_across_slabs(int[] cuts) {
        arrived(BYTES, cuts).skip(8);
        assertEquals((byte) 0xf8, input.readByte());
        assertTrue(input.isEmpty());
    }

    @Test
    void a_character_that_is_cut_in_two_is_read_whole() {
        byte[] text = "水車".getBytes(StandardCharsets.UTF_8);
        assertEquals("水車", arrived(text, 1, 4).readUtf8(6));
    }

    @Test
    void what_is_not_utf8_is_read_as_the_replacement_character() {
        assertEquals("\uFFFDa", arrived(new byte[] {(byte) 0xff, 'a'}).readUtf8(2));
    }

    @Test
    void nothing_can_be_read_of_nothing() {
        arrived(new byte[0]);
        assertTrue(input.isEmpty());
        assertEquals("", input.readUtf8(0));
        assertSame(Bytes.EMPTY, input.readBytes(0));
        input.read(new byte[0], 0, 0);
        input.skip(0);
    }

    @Test
    void a_value_outlives_its_loan() {
        var value = arrived(BYTES).readBytes(9);
        input.endLoan(pool);
        var later = lent(pool, new byte[9]);
        assertArrayEquals(BYTES, value.toArray());
        later.release();
    }

    @Test
    void a_long_value_is_read_across_slabs() {
        byte[] bytes = Arrivals.count(150_000);
        var value = arrived(bytes, 50_000, 50_001, 100_000).readBytes(150_000);
        assertArrayEquals(bytes, value.toArray());
    }

    @Test
    void a_part_outside_of_the_array_is_refused_and_nothing_is_consumed() {
        arrived(BYTES);
        assertThrows(IndexOutOfBoundsException.class, () -> input.read(new byte[4], 2, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> input.read(new byte[4], -1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> input.read(new byte[4], 0, -1));
        assertEquals(BYTES.length, input.remaining());
    }

    @Test
    void slabs_go_home_as_soon_as_they_are_read() {
        arrived(BYTES, 3, 6);
        assertEquals(3, pool.missing());
        input.skip(2);
        assertEquals(3, pool.missing());
        input.readByte();
        assertEquals(2, pool.missing());
        input.readShort();
        input.readInt();
        assertEquals(0, pool.missing());
    }
}
