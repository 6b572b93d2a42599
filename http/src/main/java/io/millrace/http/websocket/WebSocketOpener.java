package io.millrace.http.websocket;

/// Makes the handler of a WebSocket that has just opened, in callback style.
@FunctionalInterface
public interface WebSocketOpener {
    /// The socket has opened.
    ///
    /// @param socket may be kept, and used by any thread
    WebSocketHandler open(WebSocket socket) throws Exception;
}
