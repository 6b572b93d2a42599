package io.millrace.cli;

import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Sends messages of text of a WebSocket to all that are there, its own too.
final class SocketChat {
    private final Set<WebSocket> all = ConcurrentHashMap.newKeySet();

    /// Another one comes in.
    WebSocketHandler open(WebSocket socket) {
        all.add(socket);
        return new Member(socket);
    }

    private final class Member implements WebSocketHandler {
        private final WebSocket socket;

        Member(WebSocket socket) {
            this.socket = socket;
        }

        @Override
        public void onText(String text) {
            for (var each : all) each.send(text);
        }

        @Override
        public void onClose(int code, String reason) {
            all.remove(socket);
        }
    }
}
