package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.PasswordHash;
import io.millrace.http.filter.RateLimit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which clients get through, and how often; checked in this order.
public record GateSettings(
        Optional<AccessSettings> access,
        Optional<RateLimit> rateLimit,
        Optional<BasicAuthSettings> basicAuth,
        Optional<WebSocketsSettings> webSockets) {
    /// Lets every client through.
    public static final GateSettings OPEN =
            new GateSettings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /// How many WebSockets are open at a time.
    ///
    /// @param max 0 for any number
    /// @param maxPerAddress of one client address; 0 for any number
    public record WebSocketsSettings(int max, int maxPerAddress) {}

    /// The client addresses that get through.
    ///
    /// @param allow if not empty, only these get through
    /// @param deny these do not, even if they are allowed
    public record AccessSettings(List<Network> allow, List<Network> deny) {}

    /// The users that get through with a name and a password (RFC 7617).
    ///
    /// @param realm what the browser shows to the user
    /// @param users password hashes by user name
    public record BasicAuthSettings(String realm, Map<String, PasswordHash> users) {}
}
