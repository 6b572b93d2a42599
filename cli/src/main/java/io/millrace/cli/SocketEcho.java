package io.millrace.cli;

import io.millrace.bytes.Bytes;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketSettings;

/// Sends messages of a WebSocket back, of either kind.
record SocketEcho(WebSocket socket) implements WebSocketHandler {
    /// Nothing here depends on who the user of a browser is.
    static final WebSocketSettings SETTINGS = WebSocketSettings.standard().anyOrigin();

    @Override
    public void onText(String text) {
        socket.send(text);
    }

    @Override
    public void onBinary(WebSocket from, Bytes bytes) {
        socket.send(bytes);
    }
}
