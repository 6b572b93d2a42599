package io.millrace.http.ws;

/// Numbers of RFC 6455: of frames (section 5.2), and of reasons to close (section 7.4 and its registry).
public final class WsCodes {
    // The first two bytes of a frame.

    static final int FIN = 0x80;

    /// RSV1: the message is compressed.
    static final int COMPRESSED = 0x40;

    static final int RESERVED = 0x30;
    static final int OPCODE = 0x0f;
    static final int MASKED = 0x80;
    static final int LENGTH = 0x7f;

    /// A length of two bytes follows.
    static final int SHORT_LENGTH = 126;

    /// A length of eight bytes follows.
    static final int LONG_LENGTH = 127;

    static final int MOST_CONTROL_BYTES = 125;
    static final int MASK_BYTES = 4;

    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    // Reasons to close.

    public static final int NORMAL = 1000;
    public static final int GOING_AWAY = 1001;
    public static final int PROTOCOL_ERROR = 1002;
    public static final int UNSUPPORTED = 1003;

    /// Stands for a close frame without a code; never sent.
    public static final int NONE = 1005;

    /// Stands for a connection that ended without a close frame; never sent.
    public static final int ABNORMAL = 1006;

    public static final int INVALID_PAYLOAD = 1007;
    public static final int POLICY = 1008;
    public static final int TOO_LONG = 1009;
    public static final int INTERNAL_ERROR = 1011;
    public static final int SERVICE_RESTART = 1012;
    public static final int TRY_AGAIN_LATER = 1013;

    private WsCodes() {}

    /// Whether a close frame may have this code.
    public static boolean mayBeSent(int code) {
        boolean isRegistered = code >= 1000 && code <= 1014 && code != 1004 && code != NONE && code != ABNORMAL;
        return isRegistered || (code >= 3000 && code <= 4999);
    }

    static boolean isControl(int opcode) {
        return opcode >= CLOSE;
    }
}
