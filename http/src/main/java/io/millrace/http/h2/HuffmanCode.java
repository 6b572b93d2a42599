package io.millrace.http.h2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final int SHORTEST = 5;
    private static final int LONGEST = 30;
    private static final int SYMBOLS = LENGTHS.length();
    private static final int END = SYMBOLS - 1;

    private static final int[] CODES = new int[SYMBOLS];
    private static final byte[] BITS = bits();

    /// Codes, and pairs of them, up to this length are found with one look.
    private static final int PAIR_BITS = 12;

    /// By the next [#PAIR_BITS] bits: the one or two symbols they begin with; then the bits of these, and their
    /// count: a byte each. 0 where the next code is longer.
    private static final int[] PAIRS = new int[1 << PAIR_BITS];

    private static final int BITS_AT = 16;
    private static final int COUNT_AT = 24;

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
                CODES[symbol] = code++;
            }
            ENDS[length] = code << (LONGEST - length);
            code <<= 1;
        }
        for (int i = 0; i < SYMBOLS && BITS[ORDERED[i]] <= PAIR_BITS; i++) addPairs(ORDERED[i]);
    }

    private HuffmanCode() {}

    private static byte[] bits() {
        var bits = new byte[SYMBOLS];
        for (int symbol = 0; symbol < SYMBOLS; symbol++)
            bits[symbol] = (byte) (LENGTHS.charAt(symbol) - 'A' + SHORTEST);
        return bits;
    }

    private static void addPairs(int first) {
        int bits = BITS[first];
        addPair(CODES[first], bits, 1 << COUNT_AT | first);
        for (int i = 0; bits + BITS[ORDERED[i]] <= PAIR_BITS; i++) {
            int second = ORDERED[i];
            int both = CODES[first] << BITS[second] | CODES[second];
            addPair(both, bits + BITS[second], 2 << COUNT_AT | second << Byte.SIZE | first);
        }
    }

    private static void addPair(int code, int bits, int pair) {
        int rest = PAIR_BITS - bits;
        Arrays.fill(PAIRS, code << rest, (code + 1) << rest, pair | bits << BITS_AT);
    }

    /// The room for what so many bytes decode to.
    static int roomForDecoded(int encodedBytes) {
        // One more, which a pair may write too early.
        return encodedBytes * Byte.SIZE / SHORTEST + 1;
    }

    /// Decodes `from … to` of an array into another, which has [#roomForDecoded].
    ///
    /// @return the count of decoded bytes
    static int decode(byte[] encoded, int from, int to, byte[] decoded) throws HpackError {
        // Bits that are not decoded yet, the first one at the top, and zeros behind the last one.
        long window = 0;
        int bits = 0;
        int at = from;
        int count = 0;
        while (to - at >= Integer.BYTES || bits >= Integer.SIZE) {
            if (bits < Integer.SIZE) {
                window |= ((int) INT.get(encoded, at) & 0xffffffffL) << (Integer.SIZE - bits);
                at += Integer.BYTES;
                bits += Integer.SIZE;
            }
            int pair = PAIRS[(int) (window >>> (Long.SIZE - PAIR_BITS))];
            int length = pair >> BITS_AT & 0xff;
            if (pair != 0) {
                decoded[count] = (byte) pair;
                decoded[count + 1] = (byte) (pair >> Byte.SIZE);
                count += pair >> COUNT_AT;
            } else {
                length = lengthOfLong(window);
                decoded[count++] = symbol(window, length);
            }
            window <<= length;
            bits -= length;
        }
        for (; at < to; bits += Byte.SIZE) window |= (encoded[at++] & 0xffL) << (Long.SIZE - Byte.SIZE - bits);
        return decodeLast(window, bits, decoded, count);
    }

    /// Decodes what is left, one code at a time.
    private static int decodeLast(long window, int bits, byte[] decoded, int count) throws HpackError {
        while (true) {
            int pair = PAIRS[(int) (window >>> (Long.SIZE - PAIR_BITS))];
            int length = pair != 0 ? BITS[pair & 0xff] : lengthOfLong(window);
            if (length > bits) {
                checkPadding(window, bits);
                return count;
            }
            decoded[count++] = symbol(window, length);
            window <<= length;
            bits -= length;
        }
    }

    private static int lengthOfLong(long window) {
        int first = (int) (window >>> (Long.SIZE - LONGEST));
        int length = PAIR_BITS + 1;
        while (first >= ENDS[length] && length < LONGEST) length++;
        return length;
    }

    private static byte symbol(long window, int length) throws HpackError {
        int symbol = ORDERED[(int) (window >>> (Long.SIZE - length)) + SHIFTS[length]];
        if (symbol == END) throw new HpackError("an end of string in a Huffman code");
        return (byte) symbol;
    }

    private static void checkPadding(long window, int bits) throws HpackError {
        if (bits >= Byte.SIZE) throw new HpackError("a Huffman code with a padding of " + bits + " bits");
        long ones = -1L << 1 << (Long.SIZE - 1 - bits);
        if (window != ones) throw new HpackError("a Huffman code with a padding that is not all ones");
    }

    /// What bytes are encoded to.
    static int encodedBytes(byte[] bytes, int from, int length) {
        long bits = 0;
        for (int at = from; at < from + length; at++) bits += BITS[bytes[at] & 0xff];
        return (int) ((bits + Byte.SIZE - 1) >>> 3);
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
            if (bits < Integer.SIZE) continue;
            bits -= Integer.SIZE;
            INT.set(bytes, out, (int) (window >>> bits));
            out += Integer.BYTES;
        }
        for (; bits >= Byte.SIZE; bits -= Byte.SIZE) bytes[out++] = (byte) (window >>> (bits - Byte.SIZE));
        if (bits > 0) bytes[out] = (byte) (window << (Byte.SIZE - bits) | 0xff >>> bits);
    }
}
