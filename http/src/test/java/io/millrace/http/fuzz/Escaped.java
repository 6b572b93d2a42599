package io.millrace.http.fuzz;

import java.io.ByteArrayOutputStream;

/// Bytes as a text of one line: visible ASCII stands for itself; `\r`, `\n`, `\t`, `\0`, `\\`, `\xHH`; and
/// `\{3*ab}` for `ababab`.
public final class Escaped {
    private Escaped() {}

    public static byte[] bytes(String text) {
        var out = new ByteArrayOutputStream();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i++);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            switch (text.charAt(i)) {
                case 'r' -> out.write('\r');
                case 'n' -> out.write('\n');
                case 't' -> out.write('\t');
                case '0' -> out.write(0);
                case '\\' -> out.write('\\');
                case 'x' -> {
                    out.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                case '{' -> {
                    int star = text.indexOf('*', i);
                    int end = text.indexOf('}', i);
                    var piece = bytes(text.substring(star + 1, end));
                    int count = Integer.parseInt(text.substring(i + 1, star));
                    for (int n = 0; n < count; n++) out.writeBytes(piece);
                    i = end;
                }
                default -> throw new IllegalArgumentException("no escape: " + text.substring(i));
            }
            i++;
        }
        return out.toByteArray();
    }

    /// What [#bytes] reads.
    public static String text(byte[] bytes) {
        var text = new StringBuilder();
        for (byte b : bytes) {
            switch (b) {
                case '\r' -> text.append("\\r");
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                case '\\' -> text.append("\\\\");
                default -> {
                    if (b >= ' ' && b <= '~') text.append((char) b);
                    else text.append(String.format(java.util.Locale.ROOT, "\\x%02x", b & 0xff));
                }
            }
        }
        return text.toString();
    }
}
