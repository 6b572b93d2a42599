package io.millrace.http.websocket;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.Takeover;
import io.millrace.http.ws.MessageCoding;
import java.net.URI;
import java.util.Base64;
import java.util.Optional;

/// A server's half of the handshake (RFC 6455 section 4.2), for HTTP/1.1 and HTTP/2 alike.
final class ServerHandshake {
    private static final String VERSION = "13";
    private static final int KEY_BYTES = 16;

    private ServerHandshake() {}

    /// The answer to a request that should be for a WebSocket.
    static Response answer(Request request, WebSocketSettings settings, ReceiverFactory receivers) {
        var asked = ReceivedRequest.behind(request);
        var handshake = Handshake.of(request.headers());
        if (asked == null || handshake.isEmpty() || !mayAsk(asked)) return upgradeRequired();
        if (!request.header("Sec-WebSocket-Version").orElse("").strip().equals(VERSION))
            return upgradeRequired().setHeader("Sec-WebSocket-Version", VERSION);
        if (!isKey(handshake.get().key())) return Response.status(400);
        if (!isAllowed(request, settings)) return Response.status(403);
        try {
            return agree(asked, request, settings, handshake.get(), receivers);
        } catch (Refusal e) {
            return Response.status(e.status());
        }
    }

    private static boolean mayAsk(ReceivedRequest request) {
        return request.bodyLength() == 0 && !request.isOld() && request.method().equals("GET");
    }

    private static Response upgradeRequired() {
        return Response.status(426).setHeader("Upgrade", Handshake.WEBSOCKET);
    }

    private static boolean isKey(String key) {
        try {
            return Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    // Origins (RFC 6455 section 10.2): a browser sends its user's cookies, whatever page asks.

    private static boolean isAllowed(Request request, WebSocketSettings settings) {
        var origins = request.headers().all("Origin");
        if (origins.isEmpty() || settings.takesAnyOrigin()) return true;
        var origin = origins.getFirst();
        return origins.size() == 1 && (settings.isNamed(origin) || isOfHost(origin, request));
    }

    private static boolean isOfHost(String origin, Request request) {
        try {
            var uri = URI.create(origin);
            return uri.getRawAuthority() != null
                    && uri.getRawAuthority()
                            .equalsIgnoreCase(request.header("Host").orElse(""));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    // The answer.

    private static Response agree(
            ReceivedRequest asked,
            Request request,
            WebSocketSettings settings,
            Handshake handshake,
            ReceiverFactory receivers)
            throws Refusal {
        var subprotocol = settings.subprotocols().stream()
                .filter(handshake.offered()::contains)
                .findFirst();
        Optional<MessageCoding> coding = settings.mayCompress()
                ? MessageCoding.accept(
                        request.headers().all("Sec-WebSocket-Extensions"),
                        settings.keptWindows(),
                        settings.limits(),
                        request::remote)
                : Optional.empty();
        var fields = Headers.builder()
                .add("Upgrade", Handshake.WEBSOCKET)
                .add("Connection", "Upgrade")
                .add("Sec-WebSocket-Accept", Handshake.acceptOf(handshake.key()));
        subprotocol.ifPresent(name -> fields.add("Sec-WebSocket-Protocol", name));
        coding.ifPresent(agreed -> fields.add("Sec-WebSocket-Extensions", agreed.text()));
        var relay = new Relay(Optional.empty(), () -> {});
        asked.relayedBy(relay);
        var agreement = settings.agreement(subprotocol, coding.orElse(null));
        relay.upgrade(new Opening(fields.build(), agreement, receivers));
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    /// The server has agreed; the socket opens when the response is sent.
    private record Opening(Headers headers, SocketEnd.Agreement agreement, ReceiverFactory receivers)
            implements Takeover {
        @Override
        public int status() {
            return 101;
        }

        @Override
        public void begin(Peer peer) {
            SocketEnd.open(peer, agreement, receivers);
        }

        @Override
        public void abort() {
            if (agreement.coding() != null) agreement.coding().release();
        }
    }
}
