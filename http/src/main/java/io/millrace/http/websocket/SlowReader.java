package io.millrace.http.websocket;

/// What happens when more waits for a peer than [WebSocketSettings#queueBytes].
public enum SlowReader {
    /// The connection, or its stream, is reset: who stays has missed nothing.
    CLOSE,

    /// The oldest messages that wait are dropped: for those that later ones replace, as prices or positions.
    DROP_OLDEST,

    /// A message with a key ([WebSocket#sendNewest]) takes the place of the one that waits with the same key; when
    /// more waits nevertheless, the oldest messages are dropped. For many values of which each has its newest
    /// state.
    KEEP_NEWEST
}
