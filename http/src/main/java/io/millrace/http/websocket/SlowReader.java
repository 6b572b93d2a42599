package io.millrace.http.websocket;

/// What happens when more waits for a peer than [WebSocketSettings#queueBytes].
public enum SlowReader {
    /// The socket closes with 1008: who stays has missed nothing.
    CLOSE,

    /// The oldest messages that wait are dropped: for those that later ones replace, as prices or positions.
    DROP_OLDEST
}
