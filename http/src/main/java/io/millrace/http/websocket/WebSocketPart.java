package io.millrace.http.websocket;

/// Part of a message, a value.
///
/// @param content text, which is never cut within a character, or bytes
/// @param isLast whether the message ends with it
public record WebSocketPart(WebSocketMessage content, boolean isLast) {}
