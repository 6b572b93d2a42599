package io.millrace.http.websocket;

import io.millrace.http.Request;

/// URIs of WebSockets (RFC 6455 section 3).
final class WebSocketUri {
    private static final String PLAIN = "ws://";
    private static final String SECURE = "wss://";

    private WebSocketUri() {}

    /// A request for what a URI names.
    ///
    /// @throws IllegalArgumentException for a URI of another kind, or with a fragment
    static Request request(String uri) {
        if (uri.indexOf('#') >= 0)
            throw new IllegalArgumentException(uri + " has a fragment, which a WebSocket's URI must not have");
        if (begins(uri, PLAIN)) return Request.get("http://" + uri.substring(PLAIN.length()));
        if (begins(uri, SECURE)) return Request.get("https://" + uri.substring(SECURE.length()));
        if (begins(uri, "http://") || begins(uri, "https://")) return Request.get(uri);
        throw new IllegalArgumentException(uri + " names no WebSocket: it begins with ws:// or wss://");
    }

    private static boolean begins(String uri, String scheme) {
        return uri.regionMatches(true, 0, scheme, 0, scheme.length());
    }
}
