package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;

/// Handles one WebSocket in callback style. Its calls never overlap; they are made where the server calls its
/// handlers: on the loop, where they must not block, on virtual threads, or in a pool. A client's are made on the
/// loop.
///
/// An exception closes this socket with 1011, and nothing else: it is logged with the peer's address.
@FunctionalInterface
public interface WebSocketHandler {
    /// A message of text.
    void onText(String text) throws Exception;

    /// A message of bytes. Who does not expect any closes with 1003.
    default void onBinary(WebSocket socket, Bytes bytes) throws Exception {
        socket.close(CloseCode.UNSUPPORTED, "text is expected");
    }

    /// Part of a message: all come this way, and none to the methods above, with [WebSocketSettings#partBytes].
    /// Who does not expect any closes with 1003.
    default void onPart(WebSocket socket, WebSocketPart part) throws Exception {
        socket.close(CloseCode.UNSUPPORTED, "whole messages are expected");
    }

    /// The socket was full, and has room again.
    default void onWritable() throws Exception {}

    /// The socket has closed: called once, last, also if another method has thrown.
    ///
    /// @param code of the peer's close frame, [CloseCode#NONE] if it has none, [CloseCode#ABNORMAL] without one
    /// @param reason of the peer, or why there is no close frame
    default void onClose(int code, String reason) throws Exception {}
}
