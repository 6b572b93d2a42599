package io.millrace.http.websocket;

import java.io.IOException;

/// The socket has closed, and not in order; or it is used after its end. It has no stack trace, because peers cause it.
public final class WebSocketClosed extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;

    WebSocketClosed(int code, String reason) {
        super("the WebSocket has closed with " + code + (reason.isEmpty() ? "" : ": " + reason));
        this.code = code;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    /// Of the peer's close frame, or [CloseCode#ABNORMAL].
    public int code() {
        return code;
    }
}
