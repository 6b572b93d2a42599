package io.millrace.http.grammar;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Percent escapes (RFC 3986 section 2.1) and their UTF-8, decoded once and strictly: a malformed escape is
/// refused, never passed on or replaced.
public final class Escapes {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private Escapes() {}

    /// Encodes a text in UTF-8 for a part of a URI where only unreserved characters stand for themselves (RFC
    /// 3986 section 2.3): a blank is `%20`.
    public static String encoded(String text) {
        var escaped = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
            if (isPlain || b == '-' || b == '.' || b == '_' || b == '~') escaped.append((char) b);
            else escaped.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
        }
        return escaped.toString();
    }

    /// Decodes a part of a path.
    ///
    /// @throws CharacterCodingException for a malformed escape, or if the result is not UTF-8
    public static String decoded(String text) throws CharacterCodingException {
        if (text.indexOf('%') < 0) return text;
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return utf8(bytes, 0, decode(bytes, 0, bytes.length, false));
    }

    /// Encodes all but unreserved characters and some others, in UTF-8.
    ///
    /// @param kept the others, in ASCII
    public static String encoded(String text, String kept) {
        var encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > 0 && (Syntax.isUnreserved((char) b) || kept.indexOf(b) >= 0)) encoded.append((char) b);
            else encoded.append('%').append(HEX.toHexDigits(b));
        }
        return encoded.toString();
    }

    /// Decodes `from … to` in place.
    ///
    /// @param isForm whether a plus sign is a space
    /// @return the end of the decoded bytes
    /// @throws CharacterCodingException for a malformed escape
    public static int decode(byte[] bytes, int from, int to, boolean isForm) throws CharacterCodingException {
        int end = from;
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if (b == '%') {
                if (!isEscape(bytes, at, to)) throw new CharacterCodingException();
                b = (byte) (HexFormat.fromHexDigit(bytes[at + 1]) << 4 | HexFormat.fromHexDigit(bytes[at + 2]));
                at += 2;
            } else if (b == '+' && isForm) {
                b = ' ';
            }
            bytes[end++] = b;
        }
        return end;
    }

    private static boolean isEscape(byte[] bytes, int at, int to) {
        return at + 2 < to && HexFormat.isHexDigit(bytes[at + 1]) && HexFormat.isHexDigit(bytes[at + 2]);
    }

    /// The text of `from … to`.
    ///
    /// @throws CharacterCodingException if the bytes are not UTF-8
    public static String utf8(byte[] bytes, int from, int to) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, from, to - from))
                .toString();
    }
}
