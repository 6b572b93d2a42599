package io.millrace.http.ws;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.millrace.memory.LoopInput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Masks bytes where they lie, and undoes that, which is the same (RFC 6455 section 5.3).
///
/// A mask has the next byte's in its highest bits. Each method returns the mask for the bytes that follow.
final class WsMask {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private WsMask() {}

    /// The next `length` bytes of an input, of which slabs are its own.
    static int apply(LoopInput in, long length, int mask) {
        if (length == 0 || mask == 0) return mask;
        var slab = in.head();
        while (true) {
            int part = (int) Math.min(length, slab.readable());
            mask = apply(slab.memory, slab.start, slab.start + part, mask);
            length -= part;
            if (length == 0) return mask;
            slab = LoopInput.after(slab);
        }
    }

    static int apply(MemorySegment memory, int from, int to, int mask) {
        long half = Integer.reverseBytes(mask) & 0xffff_ffffL;
        long twice = half << 32 | half;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) memory.set(WORD, at, memory.get(WORD, at) ^ twice);
        for (; at < to; at++) {
            memory.set(JAVA_BYTE, at, (byte) (memory.get(JAVA_BYTE, at) ^ mask >>> 24));
            mask = Integer.rotateLeft(mask, 8);
        }
        return mask;
    }
}
