package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Search for a byte, eight at a time.
final class Scan {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    private Scan() {}

    /// The index in `from … to` of the first byte that equals `wanted`, or -1.
    static int indexOf(MemorySegment memory, int from, int to, byte wanted) {
        long pattern = (wanted & 0xffL) * ONES;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            // A byte of `differs` is 0 where it matches; only the lowest set top bit of `hits` is exact, and that
            // is the first.
            long differs = memory.get(WORD, at) ^ pattern;
            long hits = (differs - ONES) & ~differs & TOPS;
            if (hits != 0) return at + (Long.numberOfTrailingZeros(hits) >>> 3);
        }
        for (; at < to; at++) {
            if (memory.get(JAVA_BYTE, at) == wanted) return at;
        }
        return -1;
    }
}
