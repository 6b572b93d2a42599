package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.codec.Reconnecting;

/// One socket of a [ReconnectingWebSocket].
final class ReopenedSocket implements WebSocketHandler, Reconnecting.Line<WebSocketMessage> {
    private final WebSocket socket;
    private final Reconnecting.Dial<WebSocketMessage> attempt;
    private final WebSocketHandler handler;

    private ReopenedSocket(WebSocket socket, Reconnecting.Dial<WebSocketMessage> attempt, WebSocketHandler handler) {
        this.socket = socket;
        this.attempt = attempt;
        this.handler = handler;
    }

    static WebSocketHandler open(
            WebSocket socket, Reconnecting.Dial<WebSocketMessage> attempt, ReconnectingWebSocket.SocketOpener opener)
            throws Exception {
        var before = attempt.before();
        if (before.isEmpty()) {
            socket.close();
            return _ -> {};
        }
        try {
            var opened = new ReopenedSocket(socket, attempt, opener.open(socket, before.get()));
            attempt.opened(opened);
            return opened;
        } catch (Exception e) {
            // A socket without a handler closes, and nobody is told.
            attempt.over(e);
            throw e;
        }
    }

    @Override
    public void onText(String text) throws Exception {
        handler.onText(text);
    }

    @Override
    public void onBinary(WebSocket from, Bytes bytes) throws Exception {
        handler.onBinary(from, bytes);
    }

    @Override
    public void onPart(WebSocket from, WebSocketPart part) throws Exception {
        handler.onPart(from, part);
    }

    @Override
    public void onWritable() throws Exception {
        attempt.hasRoom();
        handler.onWritable();
    }

    @Override
    public void onClose(int code, String reason) throws Exception {
        try {
            handler.onClose(code, reason);
        } finally {
            attempt.over(new WebSocketClosed(code, reason));
        }
    }

    @Override
    public boolean send(WebSocketMessage message) {
        return switch (message) {
            case WebSocketMessage.Text(var text) -> socket.send(text);
            case WebSocketMessage.Binary(var bytes) -> socket.send(bytes);
        };
    }

    @Override
    public boolean isFull() {
        return socket.isFull();
    }

    @Override
    public void close() {
        socket.close();
    }
}
