package io.millrace.http.h2;

import io.millrace.net.Reset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Why a stream has ended early, for exchanges and logs.
public final class Resets {
    private static final String[] NAMES = {
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED"
    };

    private Resets() {}

    /// The peer has sent this code.
    static IOException of(int code) {
        return new Reset("the peer has reset the stream: " + name(code), code);
    }

    static IOException ofOurs(String why) {
        return new Reset("the stream has ended early: " + why);
    }

    /// The code for a peer whose exchange ends early for this reason. A stream that was reset elsewhere passes on what
    /// its peer wants; the rest of the codes are about that peer's connection.
    static int codeFor(@Nullable IOException cause) {
        if (!(cause instanceof Reset reset)) return Http2Codes.INTERNAL_ERROR;
        return switch (reset.code().orElse(Http2Codes.INTERNAL_ERROR)) {
            case Http2Codes.CANCEL -> Http2Codes.CANCEL;
            case Http2Codes.ENHANCE_YOUR_CALM -> Http2Codes.ENHANCE_YOUR_CALM;
            default -> Http2Codes.INTERNAL_ERROR;
        };
    }

    /// The name of an error (RFC 9113 section 7).
    public static String name(int code) {
        return code >= 0 && code < NAMES.length ? NAMES[code] : "code " + Integer.toUnsignedString(code);
    }
}
