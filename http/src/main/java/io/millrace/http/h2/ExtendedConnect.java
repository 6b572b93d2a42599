package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.HopByHop;
import java.util.Optional;

/// WebSocket over a stream (RFC 8441), which above the seam is the change of protocol that it is in HTTP/1.1:
///
/// ```
///   CONNECT, :protocol websocket, …     GET, Upgrade: websocket, Connection: Upgrade, Sec-WebSocket-Key, …
///   200, …                              101, Upgrade: websocket, Connection: Upgrade, Sec-WebSocket-Accept, …
/// ```
/// A key and its accept exist in HTTP/1.1 only: a request that arrives gets a key, and a response that arrives the
/// accept for the key of its request.
final class ExtendedConnect {
    private static final String KEY = "sec-websocket-key";
    private static final String ACCEPT = "Sec-WebSocket-Accept";

    private static final HpackField UPGRADE = new HpackField("upgrade", Handshake.WEBSOCKET);
    private static final HpackField CONNECTION = new HpackField("connection", "Upgrade");

    private ExtendedConnect() {}

    /// Whether a field of a request is not sent with it.
    static boolean isOfHttp1(String name) {
        return name.equalsIgnoreCase(KEY);
    }

    /// @throws Refusal for another protocol than WebSocket
    static void check(HpackField protocol) throws Refusal {
        if (!protocol.value.equalsIgnoreCase(Handshake.WEBSOCKET))
            throw new Refusal(501, "a :protocol other than websocket");
    }

    /// A request's fields, as HTTP/1.1 has them.
    static ReceivedFields request(ReceivedFields sent) {
        return sent.replacing(KEY, UPGRADE, CONNECTION, new HpackField(KEY, Handshake.newKey()));
    }

    /// The fields of the response that agrees, for the peer.
    static Headers response(Headers agreed) {
        return HopByHop.endToEnd(agreed).without(ACCEPT);
    }

    /// The fields of a response that agrees, as HTTP/1.1 has them.
    ///
    /// @param request the fields of the request, with its key
    static Headers agreed(Headers request, Headers response) {
        var fields = HopByHop.endToEnd(response).without(ACCEPT);
        Optional<String> key = request.first(KEY);
        if (key.isPresent()) fields = fields.with(ACCEPT, Handshake.acceptOf(key.get()));
        return fields.with("Upgrade", Handshake.WEBSOCKET).with("Connection", "Upgrade");
    }
}
