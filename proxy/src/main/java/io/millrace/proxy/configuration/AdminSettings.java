package io.millrace.proxy.configuration;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/// The page that shows what is going on, and the metrics.
///
/// @param token for what changes something, and for reading it from other machines
/// @param metrics the path of the metrics for Prometheus there; empty for none
public record AdminSettings(SocketAddress address, Optional<String> token, String metrics) {
    public static final String STANDARD_METRICS = "/metrics";

    /// What a token has to match.
    public static final String TOKEN_FORM = "[!-~]{16,256}";

    /// The same for people.
    public static final String TOKEN_WORDS = "16 visible characters or more";

    /// Why an address that is not local is refused without a token.
    public static final String OPEN_TO_ALL = "an admin page that other machines can reach takes a token: set one of "
            + TOKEN_WORDS + ", or take an address such as 127.0.0.1";

    /// Whether only this machine can reach an address, for all that is known before a name is looked up.
    public static boolean isLocal(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) return true;
        return inet.isUnresolved()
                ? inet.getHostString().equalsIgnoreCase("localhost")
                : inet.getAddress().isLoopbackAddress();
    }

    /// Without the token.
    @Override
    public String toString() {
        return "AdminSettings[" + address + ", token " + (token.isPresent() ? "set" : "not set") + ", " + metrics + "]";
    }
}
