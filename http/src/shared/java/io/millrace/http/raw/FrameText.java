package io.millrace.http.raw;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/// Frames of HTTP/2 as text, one character for each byte, for peers that are none of ours: no field is in a
/// table, and none has Huffman's code.
public final class FrameText {
    // Types, of a stream.

    public static final int HEADERS = 1;
    public static final int CONTINUATION = 9;
    public static final int DATA = 0;
    public static final int RST_STREAM = 3;
    public static final int PUSH_PROMISE = 5;

    // Of the connection; the last one of streams, too.

    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;

    // Flags and codes.

    public static final int END_STREAM = 1;
    public static final int END_HEADERS = 4;

    public static final int NO_ERROR = 0;
    public static final int REFUSED_STREAM = 7;
    public static final int CANCEL = 8;

    /// What a client says first, before [#HELLO].
    public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    /// What a server says first.
    public static final String HELLO = frame(SETTINGS, 0, 0, "");

    /// `:status: 200`
    public static final String OK = "\u0088";

    private static final int HEAD_BYTES = 9;

    /// A frame that has arrived.
    public record Frame(int type, int flags, int stream, String payload) {
        public boolean endsStream() {
            return type <= HEADERS && (flags & END_STREAM) != 0;
        }
    }

    private FrameText() {}

    // What is sent.

    public static String frame(int type, int flags, int stream, String payload) {
        int length = payload.length();
        char[] head = {
            (char) (length >> 16), (char) (length >> 8 & 0xff), (char) (length & 0xff), (char) type, (char) flags
        };
        return new String(head) + int32(stream) + payload;
    }

    public static String int32(int value) {
        var text = new StringBuilder();
        for (int shift = 24; shift >= 0; shift -= 8) text.append((char) (value >>> shift & 0xff));
        return text.toString();
    }

    /// A field of a block.
    public static String field(String name, String value) {
        return "\0" + (char) name.length() + name + (char) value.length() + value;
    }

    /// A block of fields.
    ///
    /// @param all names and values, in turn
    public static String fields(String... all) {
        var block = new StringBuilder();
        for (int i = 0; i < all.length; i += 2) block.append(field(all[i], all[i + 1]));
        return block.toString();
    }

    public static String headers(int stream, String block) {
        return frame(HEADERS, END_HEADERS, stream, block);
    }

    /// Headers without a body, or trailers.
    public static String whole(int stream, String block) {
        return frame(HEADERS, END_HEADERS | END_STREAM, stream, block);
    }

    public static String data(int stream, String body) {
        return frame(DATA, 0, stream, body);
    }

    public static String end(int stream, String body) {
        return frame(DATA, END_STREAM, stream, body);
    }

    public static String reset(int stream, int code) {
        return frame(RST_STREAM, 0, stream, int32(code));
    }

    public static String setting(int number, int value) {
        return frame(SETTINGS, 0, 0, "\0" + (char) number + int32(value));
    }

    public static String goAway(int lastStream, int code) {
        return frame(GOAWAY, 0, 0, int32(lastStream) + int32(code));
    }

    // What arrives.

    /// The next frame.
    ///
    /// @throws EOFException when there is none any more
    public static Frame read(InputStream in) throws IOException {
        var head = in.readNBytes(HEAD_BYTES);
        if (head.length < HEAD_BYTES) throw new EOFException("no further frame");
        int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
        int stream = (head[5] & 0x7f) << 24 | (head[6] & 0xff) << 16 | (head[7] & 0xff) << 8 | (head[8] & 0xff);
        return new Frame(head[3], head[4] & 0xff, stream, new String(in.readNBytes(length), ISO_8859_1));
    }

    /// The next frame of a type in a stream.
    public static Frame read(InputStream in, int type, int stream) throws IOException {
        while (true) {
            var frame = read(in);
            if (frame.type == type && frame.stream == stream) return frame;
        }
    }
}
