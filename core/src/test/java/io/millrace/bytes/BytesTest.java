package io.millrace.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {
    @Test
    void a_change_of_the_array_it_was_made_of_does_not_change_it() {
        byte[] array = {1, 2, 3};
        var value = Bytes.of(array);
        array[1] = 9;
        assertArrayEquals(new byte[] {1, 2, 3}, value.toArray());
    }

    @Test
    void a_change_of_the_array_it_hands_out_does_not_change_it() {
        var value = Bytes.of((byte) 1, (byte) 2);
        value.toArray()[0] = 9;
        assertEquals(1, value.at(0));
    }

    @Test
    void its_segment_cannot_be_written() {
        var segment = Bytes.of((byte) 1).segment();
        assertThrows(IllegalArgumentException.class, () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 2));
    }

    @Test
    void text_survives_as_utf8() {
        var value = Bytes.utf8("Mühle 水車 🌊");
        assertEquals("Mühle 水車 🌊", value.utf8());
        assertEquals(18, value.length());
    }

    @Test
    void what_is_not_utf8_becomes_the_replacement_character() {
        assertEquals("a\uFFFDb", Bytes.of((byte) 'a', (byte) 0xff, (byte) 'b').utf8());
    }

    @Test
    void parts_are_joined_in_order() {
        var ab = Bytes.copyOf(segment(1, 2), segment(), segment(3));
        assertEquals(Bytes.of((byte) 1, (byte) 2, (byte) 3), ab);
    }

    @Test
    void no_bytes_are_the_empty_value() {
        assertSame(Bytes.EMPTY, Bytes.of());
        assertSame(Bytes.EMPTY, Bytes.utf8(""));
        assertSame(Bytes.EMPTY, Bytes.copyOf());
        assertEquals(0, Bytes.EMPTY.length());
    }

    @Test
    void parts_that_are_too_long_together_are_refused_with_their_length() {
        var parts = new MemorySegment[2049];
        Arrays.fill(parts, MemorySegment.ofArray(new byte[1 << 20]));
        var refusal = assertThrows(IllegalArgumentException.class, () -> Bytes.copyOf(parts));
        assertEquals("2148532224 bytes are too many for one value", refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, Bytes.BY_REFERENCE - 1, Bytes.BY_REFERENCE, 100_000})
    void values_with_the_same_bytes_are_equal(int length) {
        var array = new byte[length];
        Arrays.fill(array, (byte) 7);
        var value = Bytes.of(array);
        assertEquals(value, Bytes.of(array));
        assertEquals(Arrays.hashCode(array), value.hashCode());
        array[length - 1]++;
        assertNotEquals(value, Bytes.of(array));
        assertNotEquals(value, Bytes.of(Arrays.copyOf(array, length - 1)));
    }

    @Test
    void a_value_that_is_sent_by_reference_lives_outside_the_heap() {
        assertFalse(Bytes.of(new byte[Bytes.BY_REFERENCE - 1]).segment().isNative());
        assertTrue(Bytes.of(new byte[Bytes.BY_REFERENCE]).segment().isNative());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void there_is_nothing_outside(int index) {
        var value = Bytes.of((byte) 1, (byte) 2, (byte) 3);
        assertThrows(IndexOutOfBoundsException.class, () -> value.at(index));
    }

    @Test
    void it_prints_its_length_and_its_first_bytes() {
        assertEquals("0 bytes []", Bytes.EMPTY.toString());
        assertEquals(
                "3 bytes [0aff10]", Bytes.of((byte) 10, (byte) 255, (byte) 16).toString());
        assertEquals(
                "2000 bytes [" + "00".repeat(16) + "…]",
                Bytes.of(new byte[2000]).toString());
    }

    private static MemorySegment segment(int... values) {
        var bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) bytes[i] = (byte) values[i];
        return MemorySegment.ofArray(bytes);
    }
}
