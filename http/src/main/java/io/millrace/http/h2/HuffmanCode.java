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
                if (length(symbol) != length) continue;
                ORDERED[count++] = (short) symbol;
                if (length <= FEW) addShort(code, length, symbol);
                CODES[symbol] = code++;
            }
            ENDS[length] = code << LONGEST - length;
            code <<= 1;
        }
    }

    private HuffmanCode() {}

    private static int length(int symbol) {
        return LENGTHS.charAt(symbol) - 'A' + SHORTEST;
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
}
