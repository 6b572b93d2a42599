package io.millrace.http.websocket;

/// Why a WebSocket closes (RFC 6455 section 7.4.1). Applications take one of these, or one of their own from 4000 to
/// 4999.
public final class CloseCode {
    public static final int NORMAL = 1000;

    /// The server stops, or the page is left.
    public static final int GOING_AWAY = 1001;

    public static final int PROTOCOL_ERROR = 1002;

    /// A kind of message that is not expected.
    public static final int UNSUPPORTED = 1003;

    /// Stands for a close frame without a code; never sent.
    public static final int NONE = 1005;

    /// Stands for an end without a close frame; never sent.
    public static final int ABNORMAL = 1006;

    /// A text that is not UTF-8.
    public static final int INVALID_PAYLOAD = 1007;

    public static final int POLICY = 1008;
    public static final int TOO_LONG = 1009;
    public static final int INTERNAL_ERROR = 1011;
    public static final int TRY_AGAIN_LATER = 1013;

    private CloseCode() {}
}
