package io.millrace.http.grammar;

import java.util.HexFormat;

/// A string as it stands in JSON (RFC 8259 section 7).
public final class JsonString {
    private static final HexFormat HEX = HexFormat.of();

    private JsonString() {}

    /// With its quotes.
    public static String of(String text) {
        var written = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') written.append('\\');
            if (c >= ' ' && c != 0x7f) written.append(c);
            else written.append("\\u").append(HEX.toHexDigits((short) c));
        }
        return written.append('"').toString();
    }
}
