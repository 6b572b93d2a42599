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
final class BodyPattern {
    private static final int MARK_BYTES = Long.BYTES;
    private static final int WINDOWS_BITS = 12;
    private static final int PIECE_BYTES = 64 << 10;
    private static final int BITS_OF_SEQUENCE = 40;

    private final int sizeBytes;
    private final byte[] block;
    private final byte[] scratch;

    private BodyPattern(int sizeBytes, byte[] block) {
        this.sizeBytes = sizeBytes;
        this.block = block;
        this.scratch = new byte[Math.min(sizeBytes, PIECE_BYTES)];
    }

    /// @param sizeBytes of each message
    static BodyPattern of(int sizeBytes) {
        var block = new byte[sizeBytes + (1 << WINDOWS_BITS)];
        new SplittableRandom(sizeBytes).nextBytes(block);
        return new BodyPattern(sizeBytes, block);
    }

    /// The same bytes, for another thread.
    BodyPattern forAnotherThread() {
        return new BodyPattern(sizeBytes, block);
    }

    int sizeBytes() {
        return sizeBytes;
    }

    /// The mark of a message. The scrambling, a step of the generator SplitMix64, maps no two numbers to the
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
        int marked = from == 0 ? writeMark(to, mark) : 0;
        to.write(block, window(mark) + from + marked, length - marked);
        return length;
    }

    private int writeMark(Output to, long mark) {
        if (sizeBytes >= MARK_BYTES) {
            to.writeLongLE(mark);
            return MARK_BYTES;
        }
        for (int at = 0; at < sizeBytes; at++) to.writeByte(byteOfMark(mark, at));
        return sizeBytes;
    }

    /// Reads the next bytes of a message behind the first `from`, and compares them.
    ///
    /// @param length at most what the input has and what the message lacks
    /// @return where in the message the first wrong byte is, or -1; then all were read
    int firstWrong(Input in, long mark, int from, int length) {
        int end = from + length;
        int at = from;
        if (at == 0 && length >= MARK_BYTES) {
            long difference = in.readLongLE() ^ mark;
            if (difference != 0) return Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            at = MARK_BYTES;
        }
        for (; at < Math.min(end, MARK_BYTES); at++) {
            if (in.readByte() != byteOfMark(mark, at)) return at;
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
        return (int) (mark >>> (Long.SIZE - WINDOWS_BITS));
    }
}
