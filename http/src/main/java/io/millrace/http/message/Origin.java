package io.millrace.http.message;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;

/// An origin: scheme, host and port of a URI (RFC 9110 section 4.3.1). Equal origins share connections.
///
/// @param host in small letters, and without the brackets of an IPv6 address
public record Origin(boolean isSecure, String host, int port) implements Destination {
    private static final int PORT = 80;
    private static final int SECURE_PORT = 443;

    /// @param uri with a scheme
    /// @param authority its host with an optional port, known to be well formed
    static Origin of(String uri, String authority) {
        boolean isSecure = uri.regionMatches(true, 0, "https:", 0, 6);
        int colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
        var host = (colon < 0 ? authority : authority.substring(0, colon)).toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) host = host.substring(1, host.length() - 1);
        if (colon < 0) return new Origin(isSecure, host, isSecure ? SECURE_PORT : PORT);
        int port = Integer.parseInt(authority.substring(colon + 1));
        if (port == 0) throw new IllegalArgumentException("'" + uri + "' has port 0: take 1 to 65535");
        return new Origin(isSecure, host, port);
    }

    @Override
    public InetSocketAddress address() {
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), port);
        } catch (IllegalArgumentException _) {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }

    @Override
    public String toString() {
        var bare = host.indexOf(':') < 0 ? host : "[" + host + "]";
        return (isSecure ? "https://" : "http://") + bare + ":" + port;
    }
}
