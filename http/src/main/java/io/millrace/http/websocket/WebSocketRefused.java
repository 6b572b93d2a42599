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

    /// Whether the server may answer otherwise later: after 408, 425 and 429, and from 500 on, but for 501 and
    /// 505. What it says otherwise, such as 401, 403 or 404, it will say again.
    public boolean mayPass() {
        return switch (status) {
            case 408, 425, 429 -> true;
            case 501, 505 -> false;
            default -> status >= 500;
        };
    }
}
