package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.util.Arrays;
import java.util.SplittableRandom;

/// The bytes of messages, no two of which are alike, so that a byte that is wrong, missing, doubled, or from
/// another message or connection is detected at its position. Used by one thread at a time.
///
/// ```
///   byte  0 … 7   the message's mark, which is unique: connection and sequence number, scrambled
///         8 …     a window of a random block; the mark chooses the window
/// ```
/// A window is copied and compared at the speed of memory, where numbers computed for each byte would cost more
/// than the network.
///
/// Messages of text are the same with a letter for each byte, and with the mask of a WebSocket over what is sent:
/// windows begin where the mask does, so the block is masked once.
final class BodyPattern {
    static final int MARK_BYTES = Long.BYTES;
    private static final int WINDOWS_BITS = 12;
    private static final int PIECE_BYTES = 64 << 10;
    private static final int BITS_OF_SEQUENCE = 40;

    private static final int WINDOW_STEP = Integer.BYTES;

    // Letters of ASCII, and five signs.

    private static final int FIRST_LETTER = 0x40;
    private static final int LETTER_BITS = 0x1f;
    private static final long EACH_BYTE = 0x0101_0101_0101_0101L;

    private final int sizeBytes;

    /// As it comes back.
    private final byte[] block;

    /// As it is sent.
    private final byte[] masked;

    /// As the first bytes of a mark are sent; the first one is the lowest.
    private final long mask;

    private final boolean isText;
    private final byte[] scratch;

    private BodyPattern(int sizeBytes, byte[] block, byte[] masked, long mask, boolean isText) {
        this.sizeBytes = sizeBytes;
        this.block = block;
        this.masked = masked;
        this.mask = mask;
        this.isText = isText;
        this.scratch = new byte[Math.min(sizeBytes, PIECE_BYTES)];
    }

    /// @param sizeBytes of each message
    static BodyPattern of(int sizeBytes) {
        var block = randomBlock(sizeBytes);
        return new BodyPattern(sizeBytes, block, block, 0, false);
    }

    /// Of text, sent with a mask.
    ///
    /// @param sizeBytes of each message
    /// @param mask the first byte's is the highest
    static BodyPattern ofText(int sizeBytes, int mask) {
        var block = randomBlock(sizeBytes);
        for (int i = 0; i < block.length; i++) block[i] = (byte) ((block[i] & LETTER_BITS) | FIRST_LETTER);
        var masked = block.clone();
        for (int i = 0; i < masked.length; i++) masked[i] ^= (byte) (mask >>> (24 - Byte.SIZE * (i % Integer.BYTES)));
        long half = Integer.reverseBytes(mask) & 0xffff_ffffL;
        return new BodyPattern(sizeBytes, block, masked, (half << 32) | half, true);
    }

    private static byte[] randomBlock(int sizeBytes) {
        var block = new byte[sizeBytes + (1 << WINDOWS_BITS)];
        new SplittableRandom(sizeBytes).nextBytes(block);
        return block;
    }

    /// The same bytes, for another thread.
    BodyPattern forAnotherThread() {
        return new BodyPattern(sizeBytes, block, masked, mask, isText);
    }

    int sizeBytes() {
        return sizeBytes;
    }

    /// The mark of a message; in text five bits of each byte are left of it. The scrambling, a step of the generator
    /// SplitMix64, maps no two numbers to the
    /// same.
    static long mark(int connection, long sequence) {
        long mixed = ((long) connection << BITS_OF_SEQUENCE) + sequence + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /// Writes the next bytes of a message behind the first `from`, as many as are good at once.
    ///
    /// @return how many
    int write(Output to, long mark, int from) {
        int length = Math.min(PIECE_BYTES, sizeBytes - from);
        write(to, mark, from, length);
        return length;
    }

    /// Writes so many bytes, no more than are left.
    void write(Output to, long mark, int from, int length) {
        long shown = shown(mark);
        int end = from + length;
        int at = from;
        if (at == 0 && length >= MARK_BYTES) {
            to.writeLongLE(shown ^ mask);
            at = MARK_BYTES;
        }
        for (; at < Math.min(end, MARK_BYTES); at++) to.writeByte(byteOfMark(shown ^ mask, at));
        if (at < end) to.write(masked, window(mark) + at, end - at);
    }

    private long shown(long mark) {
        return isText ? (mark & (LETTER_BITS * EACH_BYTE)) | (FIRST_LETTER * EACH_BYTE) : mark;
    }

    /// Reads the next bytes of a message behind the first `from`, and compares them.
    ///
    /// @param length at most what the input has and what the message lacks
    /// @return where in the message the first wrong byte is, or -1; then all were read
    int firstWrong(Input in, long mark, int from, int length) {
        int end = from + length;
        int at = from;
        if (at == 0 && length >= MARK_BYTES) {
            long difference = in.readLongLE() ^ shown(mark);
            if (difference != 0) return Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            at = MARK_BYTES;
        }
        for (; at < Math.min(end, MARK_BYTES); at++) {
            if (in.readByte() != byteOfMark(shown(mark), at)) return at;
        }
        return at == end ? -1 : firstWrongInWindow(in, window(mark), at, end);
    }

    private int firstWrongInWindow(Input in, int window, int from, int end) {
        for (int at = from; at < end; ) {
            int part = Math.min(scratch.length, end - at);
            in.read(scratch, 0, part);
            int wrong = Arrays.mismatch(scratch, 0, part, block, window + at, window + at + part);
            if (wrong >= 0) return at + wrong;
            at += part;
        }
        return -1;
    }

    private static byte byteOfMark(long mark, int at) {
        return (byte) (mark >>> (at * Byte.SIZE));
    }

    private static int window(long mark) {
        return (int) (mark >>> (Long.SIZE - WINDOWS_BITS)) & -WINDOW_STEP;
    }
}
