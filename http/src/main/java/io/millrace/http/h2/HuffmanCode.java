package io.millrace.http.h2;

import java.util.Arrays;

/// The Huffman code of RFC 7541 appendix B. It is canonical: codes of the same length follow each other in the order
/// of their symbols, and longer ones follow shorter ones, so that the lengths say it all.
final class HuffmanCode {
    /// The length of each symbol's code in bits: `A` is 5, `Z` is 30. The last symbol is the end of a string.
    private static final String LENGTHS = """
            ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHF\
            IBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIX\
            PRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS\
            VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWV\
            Z""";

    private static final int SHORTEST = 5;
    private static final int LONGEST = 30;
    private static final int SYMBOLS = LENGTHS.length();
    private static final int END = SYMBOLS - 1;

    /// Codes up to this length are found with one look.
    private static final int FEW = 8;

    private static final int[] CODES = new int[SYMBOLS];
    private static final byte[] BITS = bits();

    /// By the next [#FEW] bits: length and symbol of the code that they begin with; 0 where it is longer.
    private static final short[] SHORT = new short[1 << FEW];

    /// The symbols in the order of their codes.
    private static final short[] ORDERED = new short[SYMBOLS];

    /// By length: where its codes end, as the first 30 bits of what follows.
    private static final int[] ENDS = new int[LONGEST + 1];

    /// By length: what to add to a code to find its symbol in [#ORDERED].
    private static final int[] SHIFTS = new int[LONGEST + 1];

    static {
        int code = 0;
        int count = 0;
        for (int length = SHORTEST; length <= LONGEST; length++) {
            SHIFTS[length] = count - code;
            for (int symbol = 0; symbol < SYMBOLS; symbol++) {
                if (BITS[symbol] != length) continue;
                ORDERED[count++] = (short) symbol;
                if (length <= FEW) addShort(code, length, symbol);
                CODES[symbol] = code++;
            }
            ENDS[length] = code << LONGEST - length;
            code <<= 1;
        }
    }

    private HuffmanCode() {}

    private static byte[] bits() {
        var bits = new byte[SYMBOLS];
        for (int symbol = 0; symbol < SYMBOLS; symbol++)
            bits[symbol] = (byte) (LENGTHS.charAt(symbol) - 'A' + SHORTEST);
        return bits;
    }

    private static void addShort(int code, int length, int symbol) {
        int rest = FEW - length;
        Arrays.fill(SHORT, code << rest, (code + 1) << rest, (short) (length << 8 | symbol));
    }

    /// The most bytes that so many bytes decode to.
    static int mostDecodedBytes(int encodedBytes) {
        return encodedBytes * 8 / SHORTEST;
    }

    /// Decodes `from … to` of an array into another, which has room for [#mostDecodedBytes].
    ///
    /// @return the count of decoded bytes
    static int decode(byte[] encoded, int from, int to, byte[] decoded) throws HpackError {
        // Bits that are not decoded yet, the first one at the top, and zeros behind the last one.
        long window = 0;
        int bits = 0;
        int at = from;
        int count = 0;
        while (true) {
            for (; bits <= Long.SIZE - Byte.SIZE && at < to; bits += Byte.SIZE) {
                window |= (encoded[at++] & 0xffL) << (Long.SIZE - Byte.SIZE - bits);
            }
            int known = SHORT[(int) (window >>> Long.SIZE - FEW)];
            int length = known != 0 ? known >> 8 : lengthOfLong(window);
            if (length > bits) {
                checkPadding(window, bits);
                return count;
            }
            int symbol = known != 0 ? known & 0xff : symbol(window, length);
            if (symbol == END) throw new HpackError("an end of string in a Huffman code");
            decoded[count++] = (byte) symbol;
            window <<= length;
            bits -= length;
        }
    }

    private static int lengthOfLong(long window) {
        int first = (int) (window >>> Long.SIZE - LONGEST);
        int length = FEW + 1;
        while (first >= ENDS[length] && length < LONGEST) length++;
        return length;
    }

    private static int symbol(long window, int length) {
        return ORDERED[(int) (window >>> Long.SIZE - length) + SHIFTS[length]];
    }

    private static void checkPadding(long window, int bits) throws HpackError {
        if (bits >= Byte.SIZE) throw new HpackError("a Huffman code with a padding of " + bits + " bits");
        if (window != -1L << 1 << Long.SIZE - 1 - bits)
            throw new HpackError("a Huffman code with a padding that is not all ones");
    }

    /// What bytes are encoded to.
    static int encodedBytes(byte[] bytes, int from, int length) {
        long bits = 0;
        for (int at = from; at < from + length; at++) bits += BITS[bytes[at] & 0xff];
        return (int) (bits + Byte.SIZE - 1 >>> 3);
    }

    /// Encodes bytes to another place in the same array, which has room for them.
    static void encode(byte[] bytes, int from, int length, int to) {
        // Its lowest bits are not written yet.
        long window = 0;
        int bits = 0;
        int out = to;
        for (int at = from; at < from + length; at++) {
            int symbol = bytes[at] & 0xff;
            window = window << BITS[symbol] | CODES[symbol];
            bits += BITS[symbol];
            for (; bits >= Byte.SIZE; bits -= Byte.SIZE) bytes[out++] = (byte) (window >>> bits - Byte.SIZE);
        }
        if (bits > 0) bytes[out] = (byte) (window << Byte.SIZE - bits | 0xff >>> bits);
    }
}
