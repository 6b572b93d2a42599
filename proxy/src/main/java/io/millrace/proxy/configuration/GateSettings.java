package io.millrace.proxy.configuration;

import java.util.Optional;

/// Who gets through, and how often; asked in this order.
public record GateSettings(
        Optional<AccessSettings> access, Optional<RateLimitSettings> rateLimit, Optional<BasicAuthSettings> basicAuth) {
    /// Everybody.
    public static final GateSettings OPEN = new GateSettings(Optional.empty(), Optional.empty(), Optional.empty());
}
