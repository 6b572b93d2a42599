package io.millrace.http.h2;

import io.millrace.http.grammar.Syntax;

/// Reads the primitives of a block of fields (RFC 7541 section 5). One for all decoders of a loop: between two
/// blocks it keeps nothing but the room for what is decoded.
public final class HpackScratch {
    /// No index, length or size is larger.
    private static final int MOST_INTEGER = 1 << 28;

    private static final int MOST_SHIFT = 28;
    static final String LONG_INTEGER = "an integer of more than 6 bytes";

    private static final int HUFFMAN = 0x80;
    private static final int LENGTH_BITS = 7;
    private static final byte[] NO_BYTES = {};

    /// What a Huffman code is decoded into.
    private byte[] decoded = NO_BYTES;

    private byte[] block = NO_BYTES;
    private int at;
    private int to;

    void begin(byte[] bytes, int from, int to) {
        this.block = bytes;
        this.at = from;
        this.to = to;
    }

    void end() {
        block = NO_BYTES;
    }

    boolean hasMore() {
        return at < to;
    }

    int nextByte() throws HpackError {
        if (at == to) throw new HpackError("a block that ends within a field");
        return block[at++] & 0xff;
    }

    /// An integer whose first byte has been read.
    ///
    /// @param first that byte
    /// @param bits  how many of it belong to the integer
    int integer(int first, int bits) throws HpackError {
        int most = (1 << bits) - 1;
        long value = first & most;
        if (value < most) return (int) value;
        for (int shift = 0; shift <= MOST_SHIFT; shift += 7) {
            int next = nextByte();
            value += (next & 0x7fL) << shift;
            if (next >= 0x80) continue;
            if (value > MOST_INTEGER) throw new HpackError("an integer above " + MOST_INTEGER + ": " + value);
            return (int) value;
        }
        throw new HpackError(LONG_INTEGER);
    }

    String text() throws HpackError {
        int first = nextByte();
        int from = textFrom(first);
        if (first < HUFFMAN) return Syntax.latin1(block, from, at - from);
        int most = HuffmanCode.roomForDecoded(at - from);
        if (decoded.length < most) decoded = new byte[most];
        return Syntax.latin1(decoded, 0, HuffmanCode.decode(block, from, at, decoded));
    }

    /// Skips a text that nobody wants: a Huffman code in it is not looked at.
    void skipText() throws HpackError {
        textFrom(nextByte());
    }

    /// Moves behind a text.
    ///
    /// @param first its first byte, which has been read
    /// @return where it begins, behind its length
    private int textFrom(int first) throws HpackError {
        int length = integer(first, LENGTH_BITS);
        if (length > to - at) throw new HpackError("a text of " + length + " bytes, beyond the block's end");
        at += length;
        return at - length;
    }
}
