package io.millrace.proxy.upstream;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/// `host:port`, with an IPv6 address in brackets, as an address; names are not looked up.
public final class HostPort {
    private HostPort() {}

    /// Parses an address.
    ///
    /// @throws IllegalArgumentException with the remedy
    public static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        var host = colon < 0 ? "" : text.substring(0, colon);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (isBracketed) host = host.substring(1, host.length() - 1);
        else if (host.indexOf(':') >= 0) host = "";
        if (host.isEmpty() || host.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an address: take host:port or [IPv6 address]:port");
        }
        return of(host, port(text, text.substring(colon + 1)));
    }

    /// The address of a host; a name is not looked up.
    static InetSocketAddress of(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), port);
        } catch (IllegalArgumentException _) {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }

    private static int port(String text, String digits) {
        if (digits.matches("[0-9]{1,5}")) {
            int port = Integer.parseInt(digits);
            if (port >= 1 && port <= 0xffff) return port;
        }
        throw new IllegalArgumentException("'" + text + "' has no port: take 1 to 65535");
    }
}
