package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;

/// A whole message, a value: of text, or of bytes.
public sealed interface WebSocketMessage {
    /// Text, which was UTF-8 on its way.
    record Text(String text) implements WebSocketMessage {}

    /// Bytes.
    record Binary(Bytes bytes) implements WebSocketMessage {}
}
