package io.millrace.lab.load;

import io.millrace.http.h2.HpackBlock;
import io.millrace.http.h2.HpackDecoder;
import io.millrace.http.h2.HpackEncoder;
import io.millrace.http.h2.HpackField;
import io.millrace.http.h2.Http2Codes;
import java.nio.ByteBuffer;

/// The HEADERS frames of requests that are all alike (RFC 9113 section 6.2), encoded once for all connections: the
/// first of a connection fills the server's table, and the others refer to it, as those of any client do. Where the
/// stream's id belongs there is 0.
///
/// ```
///   first ─► again, again, …
///     └─ the server makes its table smaller ─► shrunk ─► plain, plain, …
/// ```
final class RequestFrames {
    /// Where the stream's id is in a frame.
    static final int ID_AT = 5;

    private final byte[] first;
    private final byte[] again;
    private final byte[] shrunk;
    private final byte[] plain;

    /// @throws IllegalArgumentException with a sentence, when the fields do not fit into a frame
    RequestFrames(HttpMessages requests, String scheme) {
        var encoder = new HpackEncoder();
        // A table that is too small for all fields would be another one behind each request.
        if (tableBytes(requests) > HpackDecoder.DEFAULT_TABLE_BYTES) encoder.tableLimit(0);
        first = frame(requests, scheme, encoder);
        again = frame(requests, scheme, encoder);
        encoder.tableLimit(0);
        shrunk = frame(requests, scheme, encoder);
        plain = frame(requests, scheme, encoder);
    }

    private static int tableBytes(HttpMessages requests) {
        var headers = requests.headers();
        int bytes = HpackField.bytes(":method".length(), requests.method().length());
        for (int i = 0; i < headers.size(); i++)
            bytes += HpackField.bytes(headers.name(i).length(), headers.value(i).length());
        return bytes;
    }

    private static byte[] frame(HttpMessages requests, String scheme, HpackEncoder encoder) {
        var block = new HpackBlock();
        encoder.begin(block);
        encoder.field(":method", requests.method(), block);
        encoder.field(":scheme", scheme, block);
        var headers = requests.headers();
        headers.first("Host").ifPresent(host -> encoder.field(":authority", host, block));
        encoder.field(":path", requests.target(), block);
        headers.forEach((name, value) -> {
            if (!name.equalsIgnoreCase("Host")) encoder.field(name, value, block);
        });
        if (requests.hasLength())
            encoder.field("content-length", Integer.toString(requests.body().length()), block);
        return frame(block.toArray(), requests.body().length() == 0);
    }

    /// Of the request for a WebSocket (RFC 8441 section 4), the first in stream 1.
    static byte[] webSocket(WsHandshake handshake) {
        var encoder = new HpackEncoder();
        encoder.tableLimit(0);
        var block = new HpackBlock();
        encoder.begin(block);
        encoder.field(":method", "CONNECT", block);
        encoder.field(":protocol", "websocket", block);
        encoder.field(":scheme", handshake.scheme(), block);
        encoder.field(":path", handshake.target(), block);
        encoder.field(":authority", handshake.host(), block);
        handshake.allHeaders().forEach((name, value) -> encoder.field(name, value, block));
        var frame = frame(block.toArray(), false);
        frame[ID_AT + 3] = 1;
        return frame;
    }

    private static byte[] frame(byte[] block, boolean isAll) {
        if (block.length > Http2Codes.MOST_BYTES)
            throw new IllegalArgumentException("the fields of a request are " + block.length
                    + " bytes, which do not fit into a frame of " + Http2Codes.MOST_BYTES + ": send fewer");
        int flags = Http2Codes.END_HEADERS | (isAll ? Http2Codes.END_STREAM : 0);
        return ByteBuffer.allocate(Http2Codes.HEADER_BYTES + block.length)
                .putInt(block.length << 8 | Http2Codes.HEADERS)
                .put((byte) flags)
                .putInt(0)
                .put(block)
                .array();
    }

    /// Of a connection's first request.
    byte[] first() {
        return first;
    }

    byte[] again() {
        return again;
    }

    /// Of the first request behind a smaller table.
    byte[] shrunk() {
        return shrunk;
    }

    byte[] plain() {
        return plain;
    }

    /// Of the longest.
    int mostBytes() {
        return Math.max(first.length, Math.max(shrunk.length, plain.length));
    }
}
