package io.millrace.http.ws;

import io.millrace.http.grammar.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What both ends agree on about `permessage-deflate` (RFC 7692 section 7).
///
/// By default neither keeps its window between messages: a window takes some 300 KiB for each connection. The
/// JDK's deflater has a window of 15 bits, so that an offer which requires less is declined, and the next one is
/// looked at; what the client's window may be makes no difference to the JDK's inflater, and is not answered.
///
/// @param peerKeeps whether the peer's messages may refer to those before
/// @param weKeep whether ours do
/// @param text of `Sec-WebSocket-Extensions`: a server's answer, or a client's offer
record Deflation(boolean peerKeeps, boolean weKeep, String text) {
    static final String NAME = "permessage-deflate";

    private static final String SERVER_FORGETS = "server_no_context_takeover";
    private static final String CLIENT_FORGETS = "client_no_context_takeover";
    private static final String SERVER_WINDOW = "server_max_window_bits";
    private static final String CLIENT_WINDOW = "client_max_window_bits";
    private static final Set<String> WINDOWS = Set.of("8", "9", "10", "11", "12", "13", "14", "15");
    private static final String OUR_WINDOW = "15";

    /// Neither keeps its window: the offer, and the usual answer.
    static final Deflation FORGETS = new Deflation(false, false, NAME + "; " + SERVER_FORGETS + "; " + CLIENT_FORGETS);

    private static final Deflation OFFER_KEEPS = new Deflation(true, true, NAME);

    boolean keeps() {
        return peerKeeps || weKeep;
    }

    // A server.

    /// Accepts the first offer that can be accepted; nothing if there is none.
    ///
    /// @param lines of the request
    /// @param mayKeep whether this connection may have windows
    /// @throws Refusal if they are malformed
    static Optional<Deflation> accept(List<String> lines, boolean mayKeep) throws Refusal {
        for (var offer : WsExtension.parse(lines)) {
            if (offer.name().equals(NAME) && isAcceptable(offer)) return Optional.of(answer(offer, mayKeep));
        }
        return Optional.empty();
    }

    private static boolean isAcceptable(WsExtension offer) {
        return areValid(offer)
                && offer.parameters().getOrDefault(SERVER_WINDOW, OUR_WINDOW).equals(OUR_WINDOW);
    }

    private static Deflation answer(WsExtension offer, boolean mayKeep) {
        boolean weKeep = mayKeep && !offer.parameters().containsKey(SERVER_FORGETS);
        boolean peerKeeps = mayKeep && !offer.parameters().containsKey(CLIENT_FORGETS);
        boolean namesWindow = offer.parameters().containsKey(SERVER_WINDOW);
        if (!weKeep && !peerKeeps && !namesWindow) return FORGETS;
        var text = new StringBuilder(NAME);
        if (!weKeep) text.append("; ").append(SERVER_FORGETS);
        if (!peerKeeps) text.append("; ").append(CLIENT_FORGETS);
        if (namesWindow) text.append("; ").append(SERVER_WINDOW).append('=').append(OUR_WINDOW);
        return new Deflation(peerKeeps, weKeep, text.toString());
    }

    // A client.

    /// @param mayKeep whether this connection may have windows
    static Deflation offer(boolean mayKeep) {
        return mayKeep ? OFFER_KEEPS : FORGETS;
    }

    /// What a server made of this offer; nothing if it declines it.
    ///
    /// @param lines of the response
    /// @throws Refusal if they accept what was not offered: then the handshake fails
    Optional<Deflation> accepted(List<String> lines) throws Refusal {
        var answers = WsExtension.parse(lines);
        if (answers.isEmpty()) return Optional.empty();
        if (answers.size() > 1) throw refused("more than one extension");
        var answer = answers.getFirst();
        if (!answer.name().equals(NAME)) throw refused("an extension that was not offered");
        if (!areValid(answer) || answer.parameters().containsKey(CLIENT_WINDOW))
            throw refused("parameters that were not offered");
        boolean serverKeeps = !answer.parameters().containsKey(SERVER_FORGETS);
        if (serverKeeps && !peerKeeps) throw refused("a window of the server's, which was not offered");
        boolean clientKeeps = weKeep && !answer.parameters().containsKey(CLIENT_FORGETS);
        return Optional.of(new Deflation(serverKeeps, clientKeeps, text));
    }

    private static Refusal refused(String what) {
        return new Refusal(502, "a server that accepts " + what + " in Sec-WebSocket-Extensions");
    }

    /// Whether all parameters are known, there once, and have a value as they must (section 7.1).
    private static boolean areValid(WsExtension extension) {
        return !extension.repeats()
                && extension.parameters().entrySet().stream().allMatch(Deflation::isValid);
    }

    private static boolean isValid(Map.Entry<String, String> parameter) {
        var value = parameter.getValue();
        return switch (parameter.getKey()) {
            case SERVER_FORGETS, CLIENT_FORGETS -> value.isEmpty();
            case SERVER_WINDOW -> WINDOWS.contains(value);
            case CLIENT_WINDOW -> value.isEmpty() || WINDOWS.contains(value);
            default -> false;
        };
    }
}
