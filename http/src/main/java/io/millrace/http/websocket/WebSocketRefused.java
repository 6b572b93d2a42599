package io.millrace.http.websocket;

import java.io.IOException;

/// The server has answered a request for a WebSocket with a response.
public final class WebSocketRefused extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;

    WebSocketRefused(int status) {
        super("the server answered a request for a WebSocket with " + status);
        this.status = status;
    }

    /// Of the response.
    public int status() {
        return status;
    }
}
