package io.millrace.proxy.admin;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/// What holds for an admin page, whoever starts it: a program, a file, or a command.
public final class AdminRules {
    /// The path of the metrics.
    public static final String STANDARD_METRICS = "/metrics";

    /// What a token has to match.
    public static final String TOKEN_FORM = "[!-~]{16,256}";

    /// The same for people.
    public static final String TOKEN_WORDS = "16 visible characters or more";

    /// Why an address that is not local is refused without a token.
    public static final String OPEN_TO_ALL = "an admin page that other machines can reach takes a token: set one of "
            + TOKEN_WORDS + ", or take an address such as 127.0.0.1";

    private AdminRules() {}

    /// Whether a token is one.
    ///
    /// @throws IllegalArgumentException for a token that is none, with the remedy
    public static void checkToken(String secret) {
        if (secret.matches(TOKEN_FORM)) return;
        throw new IllegalArgumentException(
                "the token of the admin page is no good: take " + TOKEN_WORDS + ", chosen at random");
    }

    /// Whether only this machine can reach an address, for all that is known before a name is looked up.
    public static boolean isLocal(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) return true;
        return inet.isUnresolved()
                ? inet.getHostString().equalsIgnoreCase("localhost")
                : inet.getAddress().isLoopbackAddress();
    }
}
