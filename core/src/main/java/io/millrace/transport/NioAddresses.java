package io.millrace.transport;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;

/// The addresses that [Nio] can use, and how its messages show them.
final class NioAddresses {
    private NioAddresses() {}

    /// The family of socket that reaches an address. An IPv4 wildcard takes IPv4 connections only, an IPv6 one
    /// both.
    static ProtocolFamily family(SocketAddress address) throws UnknownHostException {
        // No switch over types, for which the JDK would make a class at each start.
        if (address instanceof UnixDomainSocketAddress) return StandardProtocolFamily.UNIX;
        if (!(address instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("address " + address + " of " + address.getClass()
                    + " is not a socket address of a known kind: use InetSocketAddress or UnixDomainSocketAddress");
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException("host '" + inet.getHostString() + "' (port " + inet.getPort()
                    + ") is not resolved: check its spelling and the name service, or give its IP address");
        }
        return inet.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
    }

    /// The failure when this Java has no sockets of the address's family.
    static SocketException unsupported(SocketAddress address) {
        var remedy = address instanceof UnixDomainSocketAddress
                ? "use a TCP address"
                : "use an IPv4 address, or start Java without -Djava.net.preferIPv4Stack";
        return new SocketException("this machine has no sockets for " + text(address) + ": " + remedy);
    }

    /// The address of a socket without one, of the same kind as another.
    static SocketAddress unbound(SocketAddress other) {
        return other instanceof UnixDomainSocketAddress ? UnixDomainSocketAddress.of("") : new InetSocketAddress(0);
    }

    /// As in the command line: `127.0.0.1:80`, `[::1]:80`, a path.
    static String text(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress unix
                && unix.getPath().toString().isEmpty()) {
            return "an unnamed Unix socket";
        }
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) return address.toString();
        InetAddress ip = inet.getAddress();
        return (ip instanceof Inet4Address ? ip.getHostAddress() : "[" + ip.getHostAddress() + "]") + ":"
                + inet.getPort();
    }
}
