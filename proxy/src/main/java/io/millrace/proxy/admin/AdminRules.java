package io.millrace.proxy.admin;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/// The rules for every admin page, started by a program, a file, or a command.
public final class AdminRules {
    /// The path of the metrics.
    public static final String STANDARD_METRICS = "/metrics";

    /// The form of a token.
    public static final String TOKEN_FORM = "[!-~]{16,256}";

    /// The same in words.
    public static final String TOKEN_WORDS = "16 visible characters or more";

    /// The reason to refuse an address that is not local without a token.
    public static final String OPEN_TO_ALL = "an admin page that other machines can reach needs a token: set one of "
            + TOKEN_WORDS + ", or listen on an address such as 127.0.0.1";

    private AdminRules() {}

    /// Checks a token.
    ///
    /// @throws IllegalArgumentException for an invalid token, with the remedy
    public static void checkToken(String secret) {
        if (secret.matches(TOKEN_FORM)) return;
        throw new IllegalArgumentException(
                "the admin page's token is not valid: take " + TOKEN_WORDS + ", chosen at random");
    }

    /// Whether only this machine can reach an address, as far as is known without a name lookup.
    public static boolean isLocal(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) return true;
        return inet.isUnresolved()
                ? inet.getHostString().equalsIgnoreCase("localhost")
                : inet.getAddress().isLoopbackAddress();
    }
}
