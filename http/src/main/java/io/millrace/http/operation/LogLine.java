package io.millrace.http.operation;

import io.millrace.http.grammar.JsonString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/// A log line under construction. Text from peers goes through [#escaped] or [#json], so that it cannot end
/// the line or the item that it is in; only printable ASCII gets through.
public final class LogLine {
    /// Longer texts are truncated.
    public static final int MOST_CHARACTERS = 4096;

    private static final HexFormat HEX = HexFormat.of();

    private byte[] bytes = new byte[512];
    private int length;

    /// Unescaped: ASCII, and not from a peer.
    public LogLine text(String ours) {
        var more = ours.getBytes(StandardCharsets.US_ASCII);
        room(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
        return this;
    }

    public LogLine number(long value) {
        return text(Long.toString(value));
    }

    LogLine seconds(long nanos) {
        return text(LogTime.seconds(nanos));
    }

    /// Escaped as by Apache and nginx: `\xHH` for what is not printable, quotes and backslashes.
    ///
    /// @param ends other characters that would end it
    public LogLine escaped(String theirs, String ends) {
        int count = Math.min(theirs.length(), MOST_CHARACTERS);
        for (int i = 0; i < count; i++) {
            char c = theirs.charAt(i);
            if (JsonString.isPlain(c) && ends.indexOf(c) < 0) put(c);
            else text("\\x").text(HEX.toHexDigits(c < 0x100 ? (byte) c : (byte) '?'));
        }
        return this;
    }

    /// A JSON string (RFC 8259 section 7), with its quotes.
    public LogLine json(String theirs) {
        put('"');
        int count = Math.min(theirs.length(), MOST_CHARACTERS);
        for (int i = 0; i < count; i++) {
            char c = theirs.charAt(i);
            if (JsonString.isPlain(c)) put(c);
            else text(JsonString.escaped(c));
        }
        put('"');
        return this;
    }

    private void put(char c) {
        room(1);
        bytes[length++] = (byte) c;
    }

    private void room(int more) {
        if (bytes.length - length < more) bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }

    /// The whole line, with its end.
    byte[] end() {
        put('\n');
        return Arrays.copyOf(bytes, length);
    }
}
