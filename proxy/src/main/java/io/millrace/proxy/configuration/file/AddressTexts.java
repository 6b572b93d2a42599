package io.millrace.proxy.configuration.file;

import io.millrace.Listen;
import io.millrace.proxy.configuration.shape.Scalar;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/// Addresses as they are written: `HOST:PORT`, or `unix:` and a path. Names are looked up when they are used.
final class AddressTexts {
    private static final String HOST = "([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])";
    private static final String UNIX = "|unix:[^\\x00]{1,107}";

    /// An address to listen on; without a host, all of this machine's.
    static final Scalar<SocketAddress> OWN = Scalar.of(
            "an address to listen on",
            HOST + "?:[0-9]{1,5}" + UNIX,
            "127.0.0.1:8080",
            AddressTexts::parse,
            AddressTexts::text);

    /// An address to connect to.
    static final Scalar<SocketAddress> OTHER = Scalar.of(
            "an address of a server",
            HOST + ":[0-9]{1,5}" + UNIX,
            "10.0.0.1:8080",
            AddressTexts::other,
            AddressTexts::text);

    /// An address that needs no lookup.
    static final Scalar<InetSocketAddress> LITERAL = Scalar.of(
            "an IP address and a port",
            "([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}",
            "10.0.0.53:53",
            text -> (InetSocketAddress) other(text),
            AddressTexts::text);

    private static final String PREFIX = "unix:";

    private AddressTexts() {}

    static SocketAddress other(String text) {
        var address = parse(text);
        if (address instanceof InetSocketAddress inet && inet.getPort() == 0) {
            throw new IllegalArgumentException("nothing listens on port 0: take 1 to 65535");
        }
        return address;
    }

    private static SocketAddress parse(String text) {
        if (text.startsWith(PREFIX)) return UnixDomainSocketAddress.of(text.substring(PREFIX.length()));
        int colon = text.lastIndexOf(':');
        int port = Integer.parseInt(text.substring(colon + 1));
        if (port > 0xffff) throw new IllegalArgumentException("there is no port " + port + ": take one up to 65535");
        var host = text.substring(0, colon);
        if (host.isEmpty()) return Listen.anyAddress(port);
        boolean isLiteral = host.startsWith("[") || host.matches("[0-9.]+");
        if (!isLiteral) return InetSocketAddress.createUnresolved(host, port);
        return new InetSocketAddress(literal(host.startsWith("[") ? host.substring(1, host.length() - 1) : host), port);
    }

    private static InetAddress literal(String host) {
        try {
            // Programs disagree about IPv4 addresses with fewer dots.
            boolean isWhole =
                    host.contains(":") || host.chars().filter(c -> c == '.').count() == 3;
            if (isWhole) return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException _) {
            // Refused below.
        }
        throw new IllegalArgumentException(
                host + " is not an address: write one like 10.0.0.1 or [fd00::1], or a name");
    }

    static String text(SocketAddress address) {
        return switch (address) {
            case InetSocketAddress inet -> inet.getHostString() + ":" + inet.getPort();
            case UnixDomainSocketAddress unix -> PREFIX + unix.getPath();
            default -> address.toString();
        };
    }
}
