package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.PasswordHash;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Who gets through, and how often; asked in this order.
public record GateSettings(
        Optional<AccessSettings> access, Optional<RateLimitSettings> rateLimit, Optional<BasicAuthSettings> basicAuth) {
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

    /// How often: a bucket of `burst` tokens for each key, into which `requests` tokens fall in each `per`. Who finds
    /// it empty is refused with 429, or reset on layer 4.
    ///
    /// @param maxKeys how many keys are remembered at most
    public record RateLimitSettings(int requests, Duration per, int burst, By by, String header, int maxKeys) {
        public static final int STANDARD_MAX_KEYS = 100_000;

        /// What has a bucket of its own.
        public enum By {
            /// Each address of clients; the first 64 bits of one of IPv6.
            ADDRESS,
            /// Each value of a field.
            HEADER,
            /// There is one bucket.
            ALL
        }
    }
}
