package io.millrace.http.grammar;

import java.util.HexFormat;

/// Writes a JSON string (RFC 8259 section 7).
public final class JsonString {
    private static final HexFormat HEX = HexFormat.of();

    private JsonString() {}

    /// With its quotes.
    public static String of(String text) {
        var written = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0x7f || isPlain(c)) written.append(c);
            else written.append(escaped(c));
        }
        return written.append('"').toString();
    }

    /// Whether it is printable ASCII that needs no escape.
    public static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    }

    /// The escape of a character that is not plain, in ASCII.
    public static String escaped(char c) {
        return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : "\\u" + HEX.toHexDigits((short) c);
    }
}
