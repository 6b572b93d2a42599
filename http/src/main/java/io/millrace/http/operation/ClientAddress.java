package io.millrace.http.operation;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/// An address as proxies write it: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or
/// `[2001:db8::1]:4711`.
public final class ClientAddress {
    /// Forms with fewer dots, and zones, mean different things to different programs.
    private static final Pattern V4 = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,3}){3})(?::[0-9]{1,5})?");

    private static final Pattern V6 =
            Pattern.compile("([0-9A-Fa-f:.]{2,45})|\\[([0-9A-Fa-f:.]{2,45})](?::[0-9]{1,5})?");

    private ClientAddress() {}

    /// The address in a text; empty for anything else.
    public static Optional<InetAddress> parse(String text) {
        var v4 = V4.matcher(text);
        if (v4.matches()) return literal(v4.group(1));
        var v6 = V6.matcher(text);
        if (!v6.matches()) return Optional.empty();
        var host = v6.group(1) != null ? v6.group(1) : v6.group(2);
        return host.indexOf(':') < 0 ? Optional.empty() : literal(host);
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
