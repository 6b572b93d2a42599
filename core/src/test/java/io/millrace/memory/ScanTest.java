package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ScanTest {
    private static final int LENGTH = 40;

    @Test
    void the_first_of_two_is_found_between_any_bounds() {
        for (int first = 0; first < LENGTH; first++) {
            for (int from = 0; from <= first; from++) check(first, from);
        }
    }

    private static void check(int first, int from) {
        var bytes = new byte[LENGTH];
        bytes[first] = 'x';
        bytes[LENGTH - 1] = 'x';
        var memory = MemorySegment.ofArray(bytes);
        assertEquals(first, Scan.indexOf(memory, from, LENGTH, (byte) 'x'));
        assertEquals(-1, Scan.indexOf(memory, from, first, (byte) 'x'));
    }

    @Test
    void a_byte_that_differs_in_one_bit_is_no_match() {
        for (int wanted = 0; wanted < 256; wanted++) {
            for (int bit = 0; bit < 8; bit++) {
                var bytes = new byte[8];
                java.util.Arrays.fill(bytes, (byte) (wanted ^ 1 << bit));
                assertEquals(-1, Scan.indexOf(MemorySegment.ofArray(bytes), 0, 8, (byte) wanted));
            }
        }
    }

    @Test
    void a_borrow_from_a_match_makes_no_match_of_its_neighbour() {
        // The subtraction inside borrows from the byte behind a match, which differs by one here.
        byte[] bytes = {9, 9, 9, 5, 4, 4, 4, 4};
        assertEquals(3, Scan.indexOf(MemorySegment.ofArray(bytes), 0, 8, (byte) 5));
        byte[] later = {4, 4, 4, 4, 4, 4, 4, 5};
        assertEquals(7, Scan.indexOf(MemorySegment.ofArray(later), 0, 8, (byte) 5));
    }
}
