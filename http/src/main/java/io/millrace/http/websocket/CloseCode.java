package io.millrace.http.websocket;

import io.millrace.http.ws.WsCodes;

/// Why a WebSocket closes (RFC 6455 section 7.4.1). Applications take one of these, or one of their own from 4000 to
/// 4999.
public final class CloseCode {
    public static final int NORMAL = WsCodes.NORMAL;

    /// The server stops, or the page is left.
    public static final int GOING_AWAY = WsCodes.GOING_AWAY;

    public static final int PROTOCOL_ERROR = WsCodes.PROTOCOL_ERROR;

    /// A kind of message that is not expected.
    public static final int UNSUPPORTED = WsCodes.UNSUPPORTED;

    /// Stands for a close frame without a code; never sent.
    public static final int NONE = WsCodes.NONE;

    /// Stands for an end without a close frame; never sent.
    public static final int ABNORMAL = WsCodes.ABNORMAL;

    /// A text that is not UTF-8.
    public static final int INVALID_PAYLOAD = WsCodes.INVALID_PAYLOAD;

    public static final int POLICY = WsCodes.POLICY;
    public static final int TOO_LONG = WsCodes.TOO_LONG;
    public static final int INTERNAL_ERROR = WsCodes.INTERNAL_ERROR;
    public static final int TRY_AGAIN_LATER = WsCodes.TRY_AGAIN_LATER;

    private CloseCode() {}
}
