package io.millrace.http.grammar;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Allowed characters (RFC 9110 sections 5.5 and 5.6, RFC 3986 section 3): one validator for the wire and for
/// every setter.
public final class Syntax {
    /// The longest method, in characters.
    public static final int MOST_METHOD = 32;

    private static final byte TOKEN = 1;
    private static final byte PATH = 2;
    private static final byte QUERY = 4;
    private static final byte UNRESERVED = 8;
    private static final byte HEX = 16;
    private static final byte[] KINDS = kinds();

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    private Syntax() {}

    private static byte[] kinds() {
        var kinds = new byte[256];
        var letters = "abcdefghijklmnopqrstuvwxyz";
        var alphanumeric = letters + letters.toUpperCase(java.util.Locale.ROOT) + "0123456789";
        mark(kinds, alphanumeric + "!#$%&'*+-.^_`|~", TOKEN);
        mark(kinds, alphanumeric + "-._~", UNRESERVED);
        mark(kinds, alphanumeric + "-._~!$&'()*+,;=:@/%", PATH);
        for (char c = '!'; c <= '~'; c++) if (c != '#') kinds[c] |= QUERY;
        mark(kinds, "0123456789abcdefABCDEF", HEX);
        return kinds;
    }

    private static void mark(byte[] kinds, String characters, byte kind) {
        for (char c : characters.toCharArray()) kinds[c] |= kind;
    }

    /// RFC 9110 section 5.6.2.
    public static boolean isToken(byte b) {
        return (KINDS[b & 0xff] & TOKEN) != 0;
    }

    /// `pchar` of RFC 3986, the slash, and the percent sign.
    public static boolean isPath(byte b) {
        return (KINDS[b & 0xff] & PATH) != 0;
    }

    /// Visible characters, except `#`.
    static boolean isQuery(byte b) {
        return (KINDS[b & 0xff] & QUERY) != 0;
    }

    static boolean isUnreserved(int c) {
        return (KINDS[c] & UNRESERVED) != 0;
    }

    public static boolean isHex(byte b) {
        return (KINDS[b & 0xff] & HEX) != 0;
    }

    /// The value of two hexadecimal digits.
    static int hex(byte high, byte low) {
        return Character.digit(high, 16) << 4 | Character.digit(low, 16);
    }

    /// The first byte in `from … to` that must not be in a value: a control character other than tab. `to` if
    /// there is none.
    public static int endOfValue(byte[] bytes, int from, int to) {
        int at = from;
        while (true) {
            for (; at + Long.BYTES <= to; at += Long.BYTES) {
                long word = (long) LONG.get(bytes, at);
                // Only the lowest hit is exact, and that is the first one.
                long deletes = word ^ 0x7f * ONES;
                long hits = (((word - 0x20 * ONES) & ~word) | ((deletes - ONES) & ~deletes)) & TOPS;
                if (hits != 0) {
                    at += Long.numberOfTrailingZeros(hits) >>> 3;
                    break;
                }
            }
            while (at < to && isValue(bytes[at])) {
                at++;
                if (at + Long.BYTES <= to && bytes[at - 1] == '\t') break;
            }
            if (at >= to || !isValue(bytes[at])) return at;
        }
    }

    private static boolean isValue(byte b) {
        return (b >= 0x20 && b != 0x7f) || b < 0 || b == '\t';
    }

    /// Whether a text may be a value as it is: one byte a char, nothing that may not be in a value, and no blank at
    /// either end.
    public static boolean isFieldValue(String text) {
        int length = text.length();
        if (length == 0) return true;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c > 0xff || !isValue((byte) c)) return false;
        }
        return !isBlank(text.charAt(0)) && !isBlank(text.charAt(length - 1));
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    // Setters.

    /// Checks a field name, and returns it.
    ///
    /// @throws IllegalArgumentException with the name and the position of the error
    public static String checkName(String name) {
        if (name.isEmpty()) throw new IllegalArgumentException("a field needs a name");
        checkToken("field name", name);
        return name;
    }

    /// Checks a method, and returns it.
    ///
    /// @throws IllegalArgumentException with the method and the position of the error
    public static String checkMethod(String method) {
        if (method.isEmpty()) throw new IllegalArgumentException("a request needs a method");
        if (method.length() > MOST_METHOD) {
            throw new IllegalArgumentException(
                    "a method of " + method.length() + " characters: use " + MOST_METHOD + " at most");
        }
        checkToken("method", method);
        return method;
    }

    private static void checkToken(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0x7f || !isToken((byte) c)) throw refused(what, text, i);
        }
    }

    /// Checks a value, which is sent in ISO-8859-1; nothing in it may end a line.
    ///
    /// @throws IllegalArgumentException with the value and the position of the error
    public static String checkValue(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c > 0xff || !isValue((byte) c)) throw refused("value of " + name, value, i);
        }
        var stripped = value.strip();
        return stripped.length() == value.length() ? value : stripped;
    }

    private static IllegalArgumentException refused(String what, String text, int at) {
        return new IllegalArgumentException(String.format(
                java.util.Locale.ROOT,
                "the %s \"%s\" has U+%04X at %d, which must not be sent: encode it, or leave it out",
                what,
                text.codePoints()
                        .limit(80)
                        .map(c -> Character.isISOControl(c) ? '.' : c)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append),
                (int) text.charAt(at),
                at));
    }

    // Text.

    public static String latin1(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    public static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Whether bytes are this word, given in small letters, in any case.
    public static boolean isWord(byte[] bytes, int from, int length, String word) {
        if (length != word.length()) return false;
        for (int i = 0; i < length; i++) {
            if (lower(bytes[from + i]) != word.charAt(i)) return false;
        }
        return true;
    }

    /// A letter in lower case; other bytes unchanged.
    public static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }
}
