package io.millrace.http.h2;

import io.millrace.net.Reset;
import java.io.IOException;

/// Why a stream has ended early, for exchanges and logs.
final class Resets {
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
        return new Reset("the peer has reset the stream: " + name(code));
    }

    static IOException ofOurs(String why) {
        return new Reset("the stream has ended early: " + why);
    }

    static String name(int code) {
        return code >= 0 && code < NAMES.length ? NAMES[code] : "code " + Integer.toUnsignedString(code);
    }
}
