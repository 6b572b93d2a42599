package io.millrace.proxy.configuration;

import java.net.SocketAddress;
import java.util.Optional;

/// The page that shows what is going on, and the metrics.
///
/// @param token for what changes something, and for reading it from other machines
/// @param metrics the path of the metrics for Prometheus there; empty for none
public record AdminSettings(SocketAddress address, Optional<String> token, String metrics) {
    /// Without the token.
    @Override
    public String toString() {
        return "AdminSettings[" + address + ", token " + (token.isPresent() ? "set" : "not set") + ", " + metrics + "]";
    }
}
