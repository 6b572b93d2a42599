package io.millrace.proxy;

import io.millrace.http.Request;
import io.millrace.http.h1.ParsedRequest;
import io.millrace.http.message.RewrittenRequest;

/// Changes of protocol (RFC 9110 section 7.8).
final class Upgrades {
    private Upgrades() {}

    /// The protocol that a request asks for and that backends are asked for, or empty. WebSocket and nothing else: a
    /// change to a protocol of requests, as h2c, would hide these from the proxy.
    static String askedFor(Request request) {
        boolean isAskedFor = RewrittenRequest.originalOf(request) instanceof ParsedRequest parsed
                && parsed.bodyLength() == 0
                && !parsed.isOld()
                && request.method().equals("GET")
                && request.header("Upgrade")
                        .filter("websocket"::equalsIgnoreCase)
                        .isPresent()
                && request.headers().all("Connection").stream().anyMatch(Upgrades::saysUpgrade);
        return isAskedFor ? "websocket" : "";
    }

    private static boolean saysUpgrade(String connection) {
        for (var option : connection.split(",", -1)) if (option.strip().equalsIgnoreCase("upgrade")) return true;
        return false;
    }
}
