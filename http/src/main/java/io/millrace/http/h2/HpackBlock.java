package io.millrace.http.h2;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.millrace.bytes.Bytes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// An array in which blocks of fields are encoded, and frames are written; a loop has one, and uses it again.
public final class HpackBlock {
    /// The longest array that is kept for the next block.
    private static final int MOST_KEPT_BYTES = 64 << 10;

    private static final int FEW_BYTES = 512;
    private static final int MOST_INTEGER_BYTES = 6;
    private static final int HUFFMAN = 0x80;
    private static final int LENGTH_BITS = 7;

    byte[] bytes = new byte[FEW_BYTES];
    int length;

    /// What was put into it, in an array of its own.
    public byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }

    void clear() {
        if (bytes.length > MOST_KEPT_BYTES) bytes = new byte[FEW_BYTES];
        length = 0;
    }

    /// Appends a byte.
    void put(int b) {
        room(1);
        bytes[length++] = (byte) b;
    }

    void put16(int value) {
        room(2);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    void put32(int value) {
        room(4);
        bytes[length++] = (byte) (value >>> 24);
        bytes[length++] = (byte) (value >>> 16);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    /// Replaces three bytes.
    void replace24(int at, int value) {
        bytes[at] = (byte) (value >>> 16);
        bytes[at + 1] = (byte) (value >>> 8);
        bytes[at + 2] = (byte) value;
    }

    void put(byte[] more, int from, int count) {
        room(count);
        System.arraycopy(more, from, bytes, length, count);
        length += count;
    }

    void put(Bytes more) {
        int count = more.length();
        room(count);
        MemorySegment.copy(more.segment(), JAVA_BYTE, 0, bytes, length, count);
        length += count;
    }

    /// Appends an integer (RFC 7541 section 5.1).
    ///
    /// @param flags of its first byte
    /// @param bits  how many of that belong to the integer
    void integer(int flags, int bits, int value) {
        room(MOST_INTEGER_BYTES);
        int most = (1 << bits) - 1;
        bytes[length++] = (byte) (flags | Math.min(value, most));
        if (value < most) return;
        int rest = value - most;
        for (; rest >= 0x80; rest >>>= 7) bytes[length++] = (byte) (0x80 | rest);
        bytes[length++] = (byte) rest;
    }

    /// Appends a text (RFC 7541 section 5.2), in the Huffman code if that is shorter.
    void text(String text) {
        int from = aside(text);
        encode(from, text.length());
    }

    /// Appends a name in small letters.
    void name(String name) {
        int from = aside(name);
        for (int at = from; at < from + name.length(); at++) {
            if (bytes[at] >= 'A' && bytes[at] <= 'Z') bytes[at] = (byte) (bytes[at] | 0x20);
        }
        encode(from, name.length());
    }

    /// Puts a text behind the place that its encoding may need.
    @SuppressWarnings("deprecation") // the one way that copies nothing twice, and what it is deprecated for is wanted
    private int aside(String text) {
        int count = text.length();
        room(MOST_INTEGER_BYTES + 2 * count);
        int from = length + MOST_INTEGER_BYTES + count;
        text.getBytes(0, count, bytes, from);
        return from;
    }

    private void encode(int from, int count) {
        int encoded = HuffmanCode.encodedBytes(bytes, from, count);
        if (encoded < count) {
            integer(HUFFMAN, LENGTH_BITS, encoded);
            HuffmanCode.encode(bytes, from, count, length);
            length += encoded;
        } else {
            integer(0, LENGTH_BITS, count);
            System.arraycopy(bytes, from, bytes, length, count);
            length += count;
        }
    }

    private void room(int count) {
        if (length + count > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }
}
