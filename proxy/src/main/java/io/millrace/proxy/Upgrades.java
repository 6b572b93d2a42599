package io.millrace.proxy;

import io.millrace.http.Request;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.ReceivedRequest;
import java.util.Optional;

/// Changes of protocol (RFC 9110 section 7.8).
final class Upgrades {
    private Upgrades() {}

    /// The change that a request asks for and that backends are asked for, if it does. To WebSocket and nothing else:
    /// one to a protocol of requests, as h2c, would hide these from the proxy.
    static Optional<Handshake> askedFor(Request request) {
        // Hardly any request does.
        if (request.header("Upgrade").isEmpty()) return Optional.empty();
        var received = ReceivedRequest.behind(request);
        return received != null && mayAsk(received) ? Handshake.of(request.headers()) : Optional.empty();
    }

    private static boolean mayAsk(ReceivedRequest request) {
        return request.bodyLength() == 0 && !request.isOld() && request.method().equals("GET");
    }
}
