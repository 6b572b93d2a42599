package io.millrace.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.millrace.http.h2.Http2Codes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Frames of a client that have no fields (RFC 9113 section 6).
final class Http2Wire {
    /// Of a stream, and of the connection: as much as there can be, in powers of two.
    static final int WINDOW = 1 << 30;

    /// What is used of a window before it is filled up again.
    static final int PART = WINDOW / 2;

    private Http2Wire() {}

    /// The preface, the settings (no pushes, and the window of streams), and the window of the connection.
    static byte[] opening() {
        var settings = frame(Http2Codes.SETTINGS, 0, 0, Http2Codes.ENABLE_PUSH << 16, Http2Codes.WINDOW, WINDOW);
        return joined(
                Http2Codes.PREFACE.getBytes(US_ASCII),
                joined(settings, frame(Http2Codes.WINDOW_UPDATE, 0, 0, WINDOW - Http2Codes.USUAL_WINDOW)));
    }

    /// @param payload in words of four bytes
    static byte[] frame(int type, int flags, int id, int... payload) {
        int length = 4 * payload.length;
        var frame = ByteBuffer.allocate(Http2Codes.HEADER_BYTES + length)
                .putInt(length << 8 | type)
                .put((byte) flags)
                .putInt(id);
        for (int word : payload) frame.putInt(word);
        return frame.array();
    }

    static byte[] joined(byte[] one, byte[] other) {
        var both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    /// Whether the last bytes used up another [#PART].
    static boolean isUsed(long bytes, long last) {
        return bytes / PART != (bytes - last) / PART;
    }
}
