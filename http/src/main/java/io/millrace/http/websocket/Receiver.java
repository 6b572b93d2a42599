package io.millrace.http.websocket;

/// What gets the messages of a socket: in callback style, or in direct style. Called on the loop.
interface Receiver {
    /// The first call.
    void opened();

    /// A message has arrived.
    ///
    /// @param bytes that it takes
    void message(WebSocketMessage message, long bytes);

    /// There is room again.
    void writable();

    /// The last call.
    void closed(int code, String reason);
}
