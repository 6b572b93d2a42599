package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WsMaskTest {
    private static final int MASK = 0x37fa213d;

    /// The algorithm of RFC 6455 section 5.3, a byte at a time.
    private static byte[] masked(byte[] bytes) {
        var masked = bytes.clone();
        for (int i = 0; i < masked.length; i++) masked[i] ^= (byte) (MASK >>> (24 - 8 * (i % 4)));
        return masked;
    }

    @Test
    void bytes_of_any_length_at_any_place_in_any_two_pieces() {
        var random = new Random(1);
        for (int length = 0; length < 50; length++) {
            for (int cut = 0; cut <= length; cut++) {
                var bytes = new byte[length];
                random.nextBytes(bytes);
                var expected = masked(bytes);
                var memory = MemorySegment.ofArray(bytes);
                int mask = WsMask.apply(memory, 0, cut, MASK);
                mask = WsMask.apply(memory, cut, length, mask);
                assertArrayEquals(expected, bytes);
                assertEquals(Integer.rotateLeft(MASK, 8 * (length % 4)), mask);
            }
        }
    }

    @Test
    void bytes_around_them_stay() {
        var bytes = new byte[30];
        WsMask.apply(MemorySegment.ofArray(bytes), 3, 27, MASK);
        for (int i : new int[] {0, 1, 2, 27, 28, 29}) assertEquals(0, bytes[i]);
        assertEquals(0x37, bytes[3]);
    }

    @Test
    void masks_of_a_client_differ() {
        var masks = new MaskSource();
        var seen = new HashSet<Integer>();
        for (int i = 0; i < 1000; i++) seen.add(masks.getAsInt());
        // Two of a thousand are the same once in ten thousand times.
        assertTrue(seen.size() >= 998, () -> "only " + seen.size());
    }
}
