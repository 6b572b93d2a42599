package io.millrace.http.h2;

import java.util.Arrays;

/// A growing array in which frames and blocks of fields are written; the loop's, reused in each call.
final class HpackBlock {
    byte[] bytes;
    int length;

    HpackBlock(int capacity) {
        bytes = new byte[capacity];
    }

    private void room(int count) {
        if (length + count > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }

    void int8(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    void int16(int value) {
        room(2);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    void int32(int value) {
        room(4);
        bytes[length++] = (byte) (value >>> 24);
        bytes[length++] = (byte) (value >>> 16);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    /// Replaces three bytes.
    void int24At(int at, int value) {
        bytes[at] = (byte) (value >>> 16);
        bytes[at + 1] = (byte) (value >>> 8);
        bytes[at + 2] = (byte) value;
    }

    void put(byte[] more, int from, int count) {
        room(count);
        System.arraycopy(more, from, bytes, length, count);
        length += count;
    }

    /// A text in ISO-8859-1.
    @SuppressWarnings("deprecation") // the one way that copies nothing twice, and what it is deprecated for is wanted
    void text(String text) {
        int count = text.length();
        room(count);
        text.getBytes(0, count, bytes, length);
        length += count;
    }
}
