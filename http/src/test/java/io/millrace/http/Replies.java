package io.millrace.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// As much of HTTP as it takes to read responses, and none of it ours.
final class Replies {
    private final InputStream in;

    Replies(InputStream in) {
        this.in = in;
    }

    /// The next response, interim ones included.
    ///
    /// @param hasBody false for the response to HEAD
    WebPeer.Reply read(boolean hasBody) throws IOException {
        var status = line();
        if (!status.startsWith("HTTP/1.1 ")) throw new IOException("no status line: " + status);
        Map<String, String> headers = new LinkedHashMap<>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int code = Integer.parseInt(status.substring(9, 12));
        boolean isWithout = !hasBody || code < 200 || code == 204 || code == 304;
        return new WebPeer.Reply(code, headers, isWithout ? new byte[0] : body(headers));
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if ("chunked".equals(headers.get("transfer-encoding"))) return chunks();
        var length = headers.get("content-length");
        if (length == null) return in.readAllBytes();
        var body = in.readNBytes(Integer.parseInt(length));
        if (body.length < Integer.parseInt(length)) throw new EOFException("in a body, after " + body.length);
        return body;
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(), 16);
            body.writeBytes(in.readNBytes(length));
            var end = line();
            if (!end.isEmpty()) throw new IOException("a chunk of " + length + " is followed by " + end);
            if (length == 0) return body.toByteArray();
        }
    }

    String line() throws IOException {
        var line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) throw new EOFException("after '" + line + "'");
            if (b == '\n') break;
            line.append((char) b);
        }
        if (line.isEmpty() || line.charAt(line.length() - 1) != '\r') throw new IOException("no CRLF: " + line);
        return line.substring(0, line.length() - 1);
    }
}
