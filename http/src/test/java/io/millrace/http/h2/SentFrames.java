package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/// Frames for a peer to send, as bytes: valid ones and others. Fields are literals that no table remembers, so that
/// what is sent does not depend on what was sent before.
final class SentFrames {
    static final byte[] NOTHING = {};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /// What a client begins with, with its settings.
    ///
    /// @param settings numbers and values, in turn
    static SentFrames preface(int... settings) {
        var frames = new SentFrames();
        frames.bytes.writeBytes(Http2Codes.PREFACE.getBytes(ISO_8859_1));
        return frames.settings(settings);
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }

    int size() {
        return bytes.size();
    }

    SentFrames raw(byte... more) {
        bytes.writeBytes(more);
        return this;
    }

    SentFrames frame(int type, int flags, int id, byte... payload) {
        return frame(type, flags, id, payload.length, payload);
    }

    /// A frame that says it has another length.
    SentFrames frame(int type, int flags, int id, int length, byte[] payload) {
        put(length, 3);
        put(type, 1);
        put(flags, 1);
        put(id, 4);
        return raw(payload);
    }

    private void put(int value, int count) {
        for (int i = count - 1; i >= 0; i--) bytes.write(value >>> (8 * i));
    }

    // Requests.

    SentFrames get(int id, String path) {
        return headers(id, true, request("GET", path));
    }

    SentFrames post(int id, String path) {
        return headers(id, false, request("POST", path));
    }

    /// @param fields names and values, in turn
    SentFrames headers(int id, boolean endsStream, String... fields) {
        return block(id, endsStream, fields(fields));
    }

    /// A block of fields, in as many frames as it takes.
    SentFrames block(int id, boolean endsStream, byte[] block) {
        int at = Math.min(block.length, Http2Codes.MOST_BYTES);
        int end = endsStream ? Http2Codes.END_STREAM : 0;
        frame(Http2Codes.HEADERS, end | ends(at == block.length), id, java.util.Arrays.copyOf(block, at));
        while (at < block.length) {
            int to = Math.min(block.length, at + Http2Codes.MOST_BYTES);
            var part = java.util.Arrays.copyOfRange(block, at, to);
            frame(Http2Codes.CONTINUATION, ends(to == block.length), id, part);
            at = to;
        }
        return this;
    }

    private static int ends(boolean isLast) {
        return isLast ? Http2Codes.END_HEADERS : 0;
    }

    /// The fields of a request, with others behind them.
    static String[] request(String method, String path, String... others) {
        var all = new String[8 + others.length];
        var own = new String[] {":method", method, ":scheme", "http", ":path", path, ":authority", "a"};
        System.arraycopy(own, 0, all, 0, own.length);
        System.arraycopy(others, 0, all, own.length, others.length);
        return all;
    }

    /// The fields of a request for a WebSocket (RFC 8441 section 5).
    static String[] websocket(String path, String... others) {
        var all = new ArrayList<>(List.of(":protocol", "websocket"));
        all.addAll(List.of(request("CONNECT", path, "sec-websocket-version", "13")));
        all.addAll(List.of(others));
        return all.toArray(String[]::new);
    }

    /// Each of them as literals (RFC 7541 section 6.2.2).
    static byte[] fields(String... namesAndValues) {
        var block = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            text(namesAndValues[i], block);
            text(namesAndValues[i + 1], block);
        }
        return block.toByteArray();
    }

    /// A field that enters the table (section 6.2.1).
    static byte[] entering(String name, String value) {
        var block = new ByteArrayOutputStream();
        block.write(0x40);
        text(name, block);
        text(value, block);
        return block.toByteArray();
    }

    /// The field that has entered the table last, so many times.
    static byte[] newest(int times) {
        var block = new byte[times];
        java.util.Arrays.fill(block, (byte) (0x80 | HpackStatic.COUNT + 1));
        return block;
    }

    private static void text(String text, ByteArrayOutputStream block) {
        var latin1 = text.getBytes(ISO_8859_1);
        integer(latin1.length, 0x7f, block);
        block.writeBytes(latin1);
    }

    private static void integer(int value, int most, ByteArrayOutputStream block) {
        if (value < most) {
            block.write(value);
            return;
        }
        block.write(most);
        int rest = value - most;
        for (; rest >= 0x80; rest >>>= 7) block.write((rest & 0x7f) | 0x80);
        block.write(rest);
    }

    // Other frames.

    SentFrames data(int id, boolean endsStream, byte... part) {
        return frame(Http2Codes.DATA, endsStream ? Http2Codes.END_STREAM : 0, id, part);
    }

    SentFrames data(int id, boolean endsStream, String part) {
        return data(id, endsStream, part.getBytes(ISO_8859_1));
    }

    SentFrames window(int id, int more) {
        return frame(Http2Codes.WINDOW_UPDATE, 0, id, four(more));
    }

    SentFrames reset(int id, int code) {
        return frame(Http2Codes.RST_STREAM, 0, id, four(code));
    }

    SentFrames settings(int... settings) {
        put(3 * settings.length, 3);
        put(Http2Codes.SETTINGS, 1);
        put(0, 5);
        for (int i = 0; i < settings.length; i += 2) {
            put(settings[i], 2);
            put(settings[i + 1], 4);
        }
        return this;
    }

    SentFrames settingsTaken() {
        return frame(Http2Codes.SETTINGS, Http2Codes.ACK, 0);
    }

    SentFrames ping(String eight) {
        return frame(Http2Codes.PING, 0, 0, eight.getBytes(ISO_8859_1));
    }

    SentFrames priority(int id, int dependsOn) {
        var payload = java.util.Arrays.copyOf(four(dependsOn), 5);
        return frame(Http2Codes.PRIORITY, 0, id, payload);
    }

    SentFrames priorityUpdate(int id, String value) {
        var payload = new ByteArrayOutputStream();
        payload.writeBytes(four(id));
        payload.writeBytes(value.getBytes(ISO_8859_1));
        return frame(Http2Codes.PRIORITY_UPDATE, 0, 0, payload.toByteArray());
    }

    SentFrames goAway(int lastId, int code) {
        var payload = new ByteArrayOutputStream();
        payload.writeBytes(four(lastId));
        payload.writeBytes(four(code));
        return frame(Http2Codes.GOAWAY, 0, 0, payload.toByteArray());
    }

    static byte[] four(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }
}
