package io.millrace.http.message;

import io.millrace.http.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/// A request's change to WebSocket, and whether a response matches it (RFC 6455 section 4): a proxy that
/// passes on any 101 opens a tunnel through which a client can send any request.
///
/// @param key of the request's `Sec-WebSocket-Key`
/// @param offered the subprotocols that the client offers
public record Handshake(String key, List<String> offered) {
    /// The protocol's name.
    public static final String WEBSOCKET = "websocket";

    /// The constant that marks a response as this protocol's (RFC 6455 section 1.3).
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private static final int NONCE_BYTES = 16;

    /// The change that a request asks for; empty unless it is WebSocket, with one key.
    public static Optional<Handshake> of(Headers request) {
        var keys = request.all("Sec-WebSocket-Key");
        boolean isAskedFor =
                request.first("Upgrade").filter(WEBSOCKET::equalsIgnoreCase).isPresent()
                        && namesUpgrade(request)
                        && keys.size() == 1
                        && !keys.getFirst().isEmpty();
        if (!isAskedFor) return Optional.empty();
        var offered = new ArrayList<String>(0);
        for (var line : request.all("Sec-WebSocket-Protocol"))
            for (var name : line.split(",", -1)) if (!name.isBlank()) offered.add(name.strip());
        return Optional.of(new Handshake(keys.getFirst(), offered));
    }

    /// What is wrong with a 101 response, in words; empty if nothing is.
    public Optional<String> refusal(Headers answer) {
        var upgrade = answer.all("Upgrade");
        if (upgrade.size() != 1 || !upgrade.getFirst().equalsIgnoreCase(WEBSOCKET))
            return Optional.of("101 for another protocol than websocket");
        if (!namesUpgrade(answer)) return Optional.of("101 without Connection: Upgrade");
        if (!answer.all("Sec-WebSocket-Accept").equals(List.of(acceptOf(key))))
            return Optional.of("101 with a Sec-WebSocket-Accept for another key");
        var chosen = answer.all("Sec-WebSocket-Protocol");
        boolean isOffered = chosen.isEmpty() || (chosen.size() == 1 && offered.contains(chosen.getFirst()));
        return isOffered ? Optional.empty() : Optional.of("101 with a subprotocol that was not offered");
    }

    /// A key for a request to a server that expects one.
    public static String newKey() {
        var nonce = new byte[NONCE_BYTES];
        ThreadLocalRandom.current().nextBytes(nonce);
        return Base64.getEncoder().encodeToString(nonce);
    }

    /// The right `Sec-WebSocket-Accept` for this key.
    public static String acceptOf(String key) {
        try {
            var sha = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder().encodeToString(sha.digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-1", e);
        }
    }

    private static boolean namesUpgrade(Headers head) {
        return HopByHop.named(head).contains("upgrade");
    }
}
