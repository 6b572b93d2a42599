package io.millrace.proxy;

import io.millrace.http.message.Handshake;
import java.util.List;

/// A change to WebSocket in HTTP/1.1, as text.
final class RawHandshake {
    private static final String KEY = "Sec-WebSocket-Key: ";

    /// A request for it.
    static final String ASKING =
            "GET /chat?room=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + KEY
                    + "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat, superchat\r\n\r\n";

    private RawHandshake() {}

    /// The head of the response that agrees.
    ///
    /// @param request the lines of its head
    static String agreeing(List<String> request) {
        var key = request.stream()
                .filter(line -> line.regionMatches(true, 0, KEY, 0, KEY.length()))
                .map(line -> line.substring(KEY.length()))
                .toList();
        return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "
                + Handshake.acceptOf(key.getFirst()) + "\r\nSec-WebSocket-Protocol: chat\r\nX-Mine: yes\r\n\r\n";
    }
}
