package io.millrace.http.ws;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.millrace.memory.LoopInput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Checks UTF-8 (RFC 3629) as it arrives, and fails at the first byte that cannot be right: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
///
/// ```
///   ASCII, eight bytes at a time ─ first byte of a sequence ─► `needed` more, the next in `least … most` ─► ASCII
/// ```
final class Utf8 {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final long TOPS = 0x8080808080808080L;

    /// Bytes that the sequence still needs.
    private int needed;

    // What its next byte may be.

    private int least = 0x80;
    private int most = 0xbf;

    /// The next byte begins another text.
    void reset() {
        needed = 0;
        least = 0x80;
        most = 0xbf;
    }

    /// Whether no sequence is open.
    boolean isComplete() {
        return needed == 0;
    }

    /// All bytes of an input, which stay there.
    ///
    /// @return false if one cannot be right
    boolean accepts(LoopInput in) {
        long length = in.remaining();
        if (length == 0) return true;
        var slab = in.head();
        while (true) {
            int part = (int) Math.min(length, slab.readable());
            if (!accepts(slab.memory, slab.start, slab.start + part)) return false;
            length -= part;
            if (length == 0) return true;
            slab = LoopInput.after(slab);
        }
    }

    boolean accepts(MemorySegment memory, int from, int to) {
        int at = from;
        while (at < to) {
            if (needed == 0) at = endOfAscii(memory, at, to);
            if (at < to && !accepts(memory.get(JAVA_BYTE, at++) & 0xff)) return false;
        }
        return true;
    }

    private static int endOfAscii(MemorySegment memory, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long tops = memory.get(WORD, at) & TOPS;
            if (tops != 0) return at + (Long.numberOfTrailingZeros(tops) >>> 3);
        }
        while (at < to && memory.get(JAVA_BYTE, at) >= 0) at++;
        return at;
    }

    /// A byte within a sequence, or its first one.
    private boolean accepts(int value) {
        if (needed == 0) return begins(value);
        if (value < least || value > most) return false;
        needed--;
        least = 0x80;
        most = 0xbf;
        return true;
    }

    private boolean begins(int value) {
        if (value < 0xc2 || value > 0xf4) return false;
        needed = value < 0xe0 ? 1 : value < 0xf0 ? 2 : 3;
        switch (value) {
            case 0xe0 -> least = 0xa0; // below that, two bytes would do
            case 0xed -> most = 0x9f; // above that, surrogates
            case 0xf0 -> least = 0x90; // below that, three bytes would do
            case 0xf4 -> most = 0x8f; // above that, more than U+10FFFF
            default -> {}
        }
        return true;
    }
}
