package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;

/// Frames of HTTP/2 for sockets that are none of ours: no field is in a table.
final class RawFrames {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int SETTINGS = 4;
    static final int END_STREAM = 1;
    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private static final int END_HEADERS = 4;

    /// A frame that has arrived.
    ///
    /// @param payload one character for each byte
    record Frame(int type, int flags, int id, String payload) {
        boolean endsStream() {
            return type <= HEADERS && (flags & END_STREAM) != 0;
        }
    }

    /// What a backend does with a frame of a stream.
    @FunctionalInterface
    interface Answer {
        void to(Frame frame, RawBackend.Visit visit) throws IOException;
    }

    private RawFrames() {}

    /// A backend that speaks HTTP/2, and gives no windows.
    static RawBackend.Script backend(Answer answer) {
        return visit -> {
            var in = new DataInputStream(visit.in);
            in.skipNBytes(PREFACE.length());
            visit.send(settings());
            while (true) {
                var frame = read(in);
                if (frame.id > 0 && frame.type <= HEADERS) answer.to(frame, visit);
            }
        };
    }

    static Frame read(DataInputStream in) throws IOException {
        int word = in.readInt();
        int flags = in.readUnsignedByte();
        int id = in.readInt();
        return new Frame(word & 0xff, flags, id, new String(in.readNBytes(word >>> 8), ISO_8859_1));
    }

    /// The next frame of a stream.
    static Frame read(DataInputStream in, int type, int id) throws IOException {
        while (true) {
            var frame = read(in);
            if (frame.type == type && frame.id == id) return frame;
        }
    }

    static String settings() {
        return frame(SETTINGS, 0, 0, "");
    }

    /// @param flags none, or [#END_STREAM]
    /// @param fields names and values, in turn
    static String headers(int flags, int id, String... fields) {
        var block = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            if (i % 2 == 0) block.append('\0');
            block.append((char) fields[i].length()).append(fields[i]);
        }
        return frame(HEADERS, flags | END_HEADERS, id, block.toString());
    }

    /// A request whose body follows.
    ///
    /// @param more names and values, in turn
    static String post(int id, String... more) {
        var fields = new String[8 + more.length];
        var head = new String[] {":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a.test"};
        System.arraycopy(head, 0, fields, 0, head.length);
        System.arraycopy(more, 0, fields, head.length, more.length);
        return headers(0, id, fields);
    }

    static String data(int flags, int id, String text) {
        return frame(DATA, flags, id, text);
    }

    private static String frame(int type, int flags, int id, String payload) {
        var frame = new ByteArrayOutputStream();
        frame.writeBytes(new byte[] {0, (byte) (payload.length() >> 8), (byte) payload.length(), (byte) type});
        frame.writeBytes(new byte[] {(byte) flags, 0, 0, (byte) (id >> 8), (byte) id});
        frame.writeBytes(payload.getBytes(ISO_8859_1));
        return frame.toString(ISO_8859_1);
    }
}
