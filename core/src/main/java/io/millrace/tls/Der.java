package io.millrace.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// As much of DER (X.690) as keys and certificates need.
final class Der {
    static final int INTEGER = 0x02;
    static final int BIT_STRING = 0x03;
    static final int OCTET_STRING = 0x04;
    static final int NULL = 0x05;
    static final int OBJECT = 0x06;
    static final int UTF8_STRING = 0x0c;
    static final int GENERALIZED_TIME = 0x18;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private Der() {}

    /// A context-specific tag, constructed.
    static int tag(int number) {
        return 0xa0 | number;
    }

    /// A value made of these parts in order.
    static byte[] value(int tag, byte[]... parts) {
        var out = new ByteArrayOutputStream();
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else {
            int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) out.write(length >> (8 * i));
        }
        for (var part : parts) out.writeBytes(part);
        return out.toByteArray();
    }

    /// Reads values in order.
    static final class DerReader {
        private final byte[] bytes;
        private int at;
        private final int end;

        DerReader(byte[] bytes) {
            this(bytes, 0, bytes.length);
        }

        private DerReader(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        boolean hasMore() {
            return at < end;
        }

        /// Whether the next value has this tag.
        boolean is(int tag) {
            return hasMore() && (bytes[at] & 0xff) == tag;
        }

        /// The next value, which must have this tag, including tag and length.
        ///
        /// @throws IllegalArgumentException when it has another tag, or its length exceeds the input
        byte[] whole(int tag) {
            int begin = at;
            var inside = in(tag);
            return Arrays.copyOfRange(bytes, begin, inside.end);
        }

        /// The content of the next value.
        ///
        /// @throws IllegalArgumentException as [#whole]
        DerReader in(int tag) {
            if (!is(tag)) throw new IllegalArgumentException("no DER value with tag " + tag + " at byte " + at);
            at++;
            int length = length();
            if (length < 0 || length > end - at)
                throw new IllegalArgumentException("a DER value of " + length + " bytes at byte " + at + " of " + end);
            var inside = new DerReader(bytes, at, at + length);
            at += length;
            return inside;
        }

        private int length() {
            int first = next();
            if (first < 0x80) return first;
            int count = first & 0x7f;
            if (count == 0 || count > 3) throw new IllegalArgumentException("a DER length of " + count + " bytes");
            int length = 0;
            for (int i = 0; i < count; i++) length = (length << 8) | next();
            return length;
        }

        private int next() {
            if (!hasMore()) throw new IllegalArgumentException("a DER value that ends at byte " + at);
            return bytes[at++] & 0xff;
        }
    }
}
