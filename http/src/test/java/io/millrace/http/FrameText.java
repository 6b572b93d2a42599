package io.millrace.http;

import java.io.IOException;

/// Frames of HTTP/2 as text in ISO-8859-1, for servers with a script.
final class FrameText {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    static final int NO_ERROR = 0;
    static final int REFUSED_STREAM = 7;

    /// What a server says first.
    static final String HELLO = frame(SETTINGS, 0, 0, "");

    /// `:status: 200`
    static final String OK = "\u0088";

    private static final int PREFACE_BYTES = 24;

    private FrameText() {}

    static String frame(int type, int flags, int stream, String payload) {
        int length = payload.length();
        char[] head = {
            (char) (length >> 16), (char) (length >> 8 & 0xff), (char) (length & 0xff), (char) type, (char) flags
        };
        return new String(head) + int32(stream) + payload;
    }

    static String int32(int value) {
        var text = new StringBuilder();
        for (int shift = 24; shift >= 0; shift -= 8) text.append((char) (value >>> shift & 0xff));
        return text.toString();
    }

    /// A field as it is, without a table and without Huffman's code.
    static String field(String name, String value) {
        return "\0" + (char) name.length() + name + (char) value.length() + value;
    }

    static String headers(int stream, String block) {
        return frame(HEADERS, END_HEADERS, stream, block);
    }

    /// Headers without a body.
    static String whole(int stream, String block) {
        return frame(HEADERS, END_HEADERS | END_STREAM, stream, block);
    }

    static String end(int stream, String body) {
        return frame(DATA, END_STREAM, stream, body);
    }

    static String setting(int number, int value) {
        return frame(SETTINGS, 0, 0, "\0" + (char) number + int32(value));
    }

    static String goAway(int lastStream, int code) {
        return frame(GOAWAY, 0, 0, int32(lastStream) + int32(code));
    }

    /// Reads the client's preface, and greets it.
    static void greet(ScriptedServer.Talk talk) throws IOException {
        talk.text(PREFACE_BYTES);
        talk.send(HELLO);
    }

    /// Reads until a frame of this type has come.
    ///
    /// @return its stream, or -1 if the client has ended
    static int await(ScriptedServer.Talk talk, int type) throws IOException {
        while (true) {
            var head = next(talk);
            if (head.isEmpty()) return -1;
            if (type(head) == type)
                return head.charAt(5) << 24 | head.charAt(6) << 16 | head.charAt(7) << 8 | head.charAt(8);
        }
    }

    /// Reads a frame.
    ///
    /// @return its header, or nothing at the end
    static String next(ScriptedServer.Talk talk) throws IOException {
        var head = talk.text(9);
        if (head.length() < 9) return "";
        talk.text(head.charAt(0) << 16 | head.charAt(1) << 8 | head.charAt(2));
        return head;
    }

    static int type(String header) {
        return header.charAt(3);
    }
}
