package io.millrace.lab.peer.httpcheck;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What a server answered, read byte by byte as RFC 9112 has it.
///
/// @param statusLine the first line
/// @param fields the values of each name, which is in lower case, in their order
/// @param body what a length or chunks said there is
// Nobody compares two of them.
@SuppressWarnings("ArrayRecordComponent")
record Response(String statusLine, Map<String, List<String>> fields, byte[] body) {
    /// Reads one and leaves what comes after it.
    static Response read(InputStream in) throws IOException {
        String statusLine = line(in);
        var fields = new HashMap<String, List<String>>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new IOException("no field: " + line);
            }
            fields.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        return new Response(statusLine, fields, body(in, fields));
    }

    /// The value of a field that must be there, and once.
    String field(String name) {
        List<String> values = fields.getOrDefault(name, List.of());
        assertEquals(1, values.size(), () -> name + " is there " + values.size() + " times in " + fields);
        return values.getFirst();
    }

    private static byte[] body(InputStream in, Map<String, List<String>> fields) throws IOException {
        if (fields.containsKey("transfer-encoding")) {
            assertEquals(List.of("chunked"), fields.get("transfer-encoding"));
            return chunks(in);
        }
        if (!fields.containsKey("content-length")) {
            throw new IOException("a body of unknown length after " + fields);
        }
        return exactly(in, Integer.parseInt(fields.get("content-length").getFirst()));
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
            body.writeBytes(exactly(in, size));
            assertEquals("", line(in));
        }
        assertEquals("", line(in));
        return body.toByteArray();
    }

    private static byte[] exactly(InputStream in, int lengthBytes) throws IOException {
        byte[] bytes = in.readNBytes(lengthBytes);
        if (bytes.length < lengthBytes) {
            throw new EOFException("the connection ended " + (lengthBytes - bytes.length) + " bytes too early");
        }
        return bytes;
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended after " + line.toString(ISO_8859_1));
            }
            line.write(next);
        }
        assertEquals('\n', in.read(), "after a carriage return");
        return line.toString(ISO_8859_1);
    }
}
