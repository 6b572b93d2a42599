package io.millrace.lab.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.http.Headers;
import java.util.List;
import java.util.Locale;

/// How the WebSockets of a load are opened (RFC 6455 section 4.1, RFC 8441): made with [#of], then changed by methods
/// that return a changed copy. What must not be sent is refused with [IllegalArgumentException].
///
/// @param host of the URL, with its port, for the field `Host`
/// @param target path and query, sent as they are
/// @param headers further fields
/// @param scheme of the URL, with HTTP/2; empty with HTTP/1.1
/// @param isPacked whether the server has to compress messages, each by itself (RFC 7692)
public record WsHandshake(String host, String target, Headers headers, String scheme, boolean isPacked) {
    /// Of RFC 6455 section 1.3. It is to be another one each time because of caches, and there are none here.
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private static final String EXTENSIONS = "Sec-WebSocket-Extensions";
    private static final String DEFLATE = "permessage-deflate";
    private static final String OFFER = DEFLATE + "; server_no_context_takeover; client_no_context_takeover";

    private static final List<String> OWN = List.of(
            "host",
            "connection",
            "upgrade",
            "content-length",
            "transfer-encoding",
            "sec-websocket-key",
            "sec-websocket-version",
            "sec-websocket-extensions");

    public WsHandshake {
        HttpMessages.get(host, target);
        headers.forEach((name, _) -> {
            if (OWN.contains(name.toLowerCase(Locale.ROOT)))
                throw new IllegalArgumentException(name + " belongs to the handshake of a WebSocket: leave it out");
        });
    }

    /// Over HTTP/1.1.
    public static WsHandshake of(String host, String target) {
        return new WsHandshake(host, target, Headers.EMPTY, "", false);
    }

    /// With one more field.
    public WsHandshake header(String name, String value) {
        return new WsHandshake(host, target, headers.with(name, value), scheme, isPacked);
    }

    /// Over HTTP/2, each as the one stream of a connection.
    ///
    /// @param ofUrl `http` or `https`
    public WsHandshake overHttp2(String ofUrl) {
        return new WsHandshake(host, target, headers, ofUrl, isPacked);
    }

    /// With messages that the server compresses.
    public WsHandshake packed() {
        return new WsHandshake(host, target, headers, scheme, true);
    }

    boolean isHttp2() {
        return !scheme.isEmpty();
    }

    /// Of the version's own fields all but the pseudo-fields.
    Headers allHeaders() {
        var all = headers.with("Sec-WebSocket-Version", "13");
        if (isPacked) all = all.with(EXTENSIONS, OFFER);
        return isHttp2()
                ? all
                : all.with("Upgrade", "websocket").with("Connection", "Upgrade").with("Sec-WebSocket-Key", KEY);
    }

    /// The request as it is sent over HTTP/1.1.
    byte[] request() {
        var head = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n");
        allHeaders()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    /// What is wrong with the head of a response over HTTP/1.1; empty when the server agrees.
    String complaint(String head) {
        if (!head.startsWith("HTTP/1.1 101 "))
            return "was not opened: " + head.lines().findFirst().orElse("nothing");
        if (!value(head, "sec-websocket-accept").equals(ACCEPT)) return "was opened with a wrong Sec-WebSocket-Accept";
        boolean packs = value(head, EXTENSIONS.toLowerCase(Locale.ROOT)).startsWith(DEFLATE);
        if (packs != isPacked) return packs ? "was opened with " + DEFLATE + ", unasked" : "does not compress messages";
        return "";
    }

    private static String value(String head, String field) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
