package io.millrace.proxy;

import io.millrace.http.Request;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.ReceivedRequest;
import java.util.Optional;

/// Protocol upgrades (RFC 9110 section 7.8).
final class Upgrades {
    private Upgrades() {}

    /// The upgrade of a request, which is forwarded to backends, if it asks for one. To WebSocket only: an
    /// upgrade to a protocol with requests of its own, such as h2c, would hide them from the proxy.
    static Optional<Handshake> askedFor(Request request) {
        // Few requests have one.
        if (request.header("Upgrade").isEmpty()) return Optional.empty();
        var received = ReceivedRequest.behind(request);
        return received != null && mayAsk(received) ? Handshake.of(request.headers()) : Optional.empty();
    }

    private static boolean mayAsk(ReceivedRequest request) {
        return request.bodyLength() == 0 && !request.isOld() && request.method().equals("GET");
    }
}
