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
class Utf8 {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final long TOPS = 0x8080808080808080L;
    private static final byte FIRST_TAIL = (byte) 0x80;
    private static final byte LAST_TAIL = (byte) 0xbf;

    /// Bytes that the sequence still needs.
    private byte needed;

    // What its next byte may be, without a sign.

    private byte least = FIRST_TAIL;
    private byte most = LAST_TAIL;

    /// The next byte begins another text.
    void reset() {
        needed = 0;
        least = FIRST_TAIL;
        most = LAST_TAIL;
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
        if (value < (least & 0xff) || value > (most & 0xff)) return false;
        needed--;
        least = FIRST_TAIL;
        most = LAST_TAIL;
        return true;
    }

    private boolean begins(int value) {
        if (value < 0xc2 || value > 0xf4) return false;
        needed = (byte) (value < 0xe0 ? 1 : value < 0xf0 ? 2 : 3);
        switch (value) {
            case 0xe0 -> least = (byte) 0xa0; // below that, two bytes would do
            case 0xed -> most = (byte) 0x9f; // above that, surrogates
            case 0xf0 -> least = (byte) 0x90; // below that, three bytes would do
            case 0xf4 -> most = (byte) 0x8f; // above that, more than U+10FFFF
            default -> {}
        }
        return true;
    }

    // The other way.

    /// How much a text may take.
    static long mostBytes(String text) {
        return 3L * text.length();
    }

    /// Encodes a text without an allocation; half of a pair becomes a question mark, as in [String#getBytes].
    ///
    /// @param to with room for [#mostBytes]
    /// @return how many bytes it wrote
    static int encode(String text, byte[] to) {
        int length = text.length();
        int at = 0;
        while (at < length && text.charAt(at) < 0x80) to[at] = (byte) text.charAt(at++);
        return at == length ? at : encode(text, at, to);
    }

    private static int encode(String text, int from, byte[] to) {
        int at = from;
        for (int i = from; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next < 0x80) {
                to[at++] = (byte) next;
            } else if (next < 0x800) {
                to[at++] = (byte) (0xc0 | next >> 6);
                to[at++] = tail(next);
            } else if (!Character.isSurrogate(next)) {
                to[at++] = (byte) (0xe0 | next >> 12);
                to[at++] = tail(next >> 6);
                to[at++] = tail(next);
            } else if (isPair(text, i)) {
                int point = Character.toCodePoint(next, text.charAt(++i));
                to[at++] = (byte) (0xf0 | point >> 18);
                to[at++] = tail(point >> 12);
                to[at++] = tail(point >> 6);
                to[at++] = tail(point);
            } else {
                to[at++] = '?';
            }
        }
        return at;
    }

    private static boolean isPair(String text, int at) {
        return at + 1 < text.length() && Character.isSurrogatePair(text.charAt(at), text.charAt(at + 1));
    }

    private static byte tail(int bits) {
        return (byte) (0x80 | (bits & 0x3f));
    }
}
