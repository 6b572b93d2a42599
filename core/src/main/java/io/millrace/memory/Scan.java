package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.millrace.bytes.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Searches for a byte, eight at a time, and for several bytes in a sequence of slabs.
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

    /// Searches `length` bytes, which begin in a slab and go on in the next ones, and returns the distance at which
    /// the value first occurs, or -1. Each byte is read once, and once more after every partial match.
    static long indexOf(@Nullable Slab slab, int begin, long length, Bytes wanted) {
        long last = length - wanted.length();
        long before = 0;
        while (slab != null && before <= last) {
            int end = (int) Math.min(slab.end, begin + length - before);
            for (int at = begin; (at = indexOf(slab.memory, at, end, wanted.at(0))) >= 0; at++) {
                long found = before + at - begin;
                if (found > last) return -1;
                if (matches(slab, at, wanted)) return found;
            }
            before += end - begin;
            slab = slab.next;
            if (slab != null) begin = slab.start;
        }
        return -1;
    }

    private static boolean matches(Slab slab, int at, Bytes wanted) {
        for (int i = 0; i < wanted.length(); i++, at++) {
            while (at >= slab.end) {
                var next = slab.next;
                if (next == null) return false;
                at = next.start;
                slab = next;
            }
            if (slab.memory.get(JAVA_BYTE, at) != wanted.at(i)) return false;
        }
        return true;
    }
}
