package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.PasswordHash;
import io.millrace.http.filter.RateLimit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Who gets through, and how often; asked in this order.
public record GateSettings(
        Optional<AccessSettings> access, Optional<RateLimit> rateLimit, Optional<BasicAuthSettings> basicAuth) {
    /// Everybody.
    public static final GateSettings OPEN = new GateSettings(Optional.empty(), Optional.empty(), Optional.empty());

    /// The addresses that get through.
    ///
    /// @param allow when there are any, only those
    /// @param deny never those, also when they are allowed
    public record AccessSettings(List<Network> allow, List<Network> deny) {}

    /// Who gets through with a name and a password (RFC 7617).
    ///
    /// @param realm what the browser tells the user
    /// @param users the hashes of their passwords
    public record BasicAuthSettings(String realm, Map<String, PasswordHash> users) {}
}
