package io.millrace.cli;

import io.millrace.Listen;
import io.millrace.Supervisor;
import io.millrace.loop.Wording;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.InvalidPathException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Addresses on the command line: `HOST:PORT` with a name, an IPv4 address or an IPv6 address in brackets, and
/// `unix:PATH`; for listeners `fd:NAME`, too.
final class HostPortOption {
    private static final String UNIX = "unix:";
    private static final String INHERITED = "fd:";

    /// The only colon outside of brackets separates the port.
    private static final Pattern SYNTAX =
            Pattern.compile("(?:\\[(?<v6>[^\\[\\]]*)]|(?<host>[^:\\[\\]\\s]*)):(?<port>[^:]*)");

    private static final Pattern URL = Pattern.compile("(?<scheme>[A-Za-z][\\w+.-]*)://(?<host>[^/?#]*).*");

    private HostPortOption() {}

    /// Listen addresses: `:PORT` and `*:PORT` mean all addresses, port 0 a free port.
    static final class ToListen implements ITypeConverter<SocketAddress> {
        @Override
        public SocketAddress convert(String text) {
            return text.startsWith(INHERITED) ? inherited(text.substring(INHERITED.length())) : parse(text, 0);
        }

        private static SocketAddress inherited(String name) {
            try {
                return Supervisor.ofEnvironment()
                        .sockets()
                        .named(name)
                        .orElseThrow(
                                () -> new TypeConversionException("the service manager passed no socket with the name '"
                                        + name + "': set FileDescriptorName= of the socket unit, or write HOST:PORT"));
            } catch (IOException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /// Connect addresses.
    static final class ToConnect implements ITypeConverter<SocketAddress> {
        @Override
        public SocketAddress convert(String text) {
            var address = parse(text, 1);
            if (address instanceof InetSocketAddress inet
                    && !inet.isUnresolved()
                    && inet.getAddress().isAnyLocalAddress()) {
                throw new TypeConversionException(
                        "'" + text + "' has no host to connect to: write one, as in 127.0.0.1:" + inet.getPort());
            }
            return address;
        }
    }

    /// A URL for a browser, on this machine if possible.
    static String page(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) return Wording.of(address);
        if (!inet.getAddress().isAnyLocalAddress()) return "http://" + Wording.of(address) + "/";
        return "http://localhost:" + inet.getPort() + "/";
    }

    private static SocketAddress parse(String text, int minPort) {
        if (text.startsWith(UNIX)) return unix(text);
        var url = URL.matcher(text);
        if (url.matches()) throw isUrl(text, url);
        var parts = SYNTAX.matcher(text);
        if (!parts.matches()) throw unreadable(text);
        int port = port(text, parts.group("port"), minPort);
        var v6 = parts.group("v6");
        if (v6 != null) return new InetSocketAddress(literal(text, v6), port);
        var host = parts.group("host");
        if (host.isEmpty() || host.equals("*")) return Listen.anyAddress(port);
        return host(host, port);
    }

    private static SocketAddress unix(String text) {
        var path = text.substring(UNIX.length());
        if (path.isEmpty()) throw new TypeConversionException("'" + text + "' has no path: write unix:/run/my.sock");
        try {
            return UnixDomainSocketAddress.of(path);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + text + "' is not a path: " + e.getReason());
        }
    }

    private static TypeConversionException isUrl(String text, Matcher url) {
        var host = url.group("host");
        boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
        var port = url.group("scheme").toLowerCase(Locale.ROOT).endsWith("s") ? ":443" : ":80";
        return new TypeConversionException("'" + text + "' is a URL, and not an address: write HOST:PORT alone, as in "
                + (host.isEmpty() ? "127.0.0.1" : host) + (hasPort ? "" : port));
    }

    private static TypeConversionException unreadable(String text) {
        long colons = text.chars().filter(c -> c == ':').count();
        var remedy = colons > 1
                ? "write an IPv6 address in brackets, as in [::1]:7007"
                : "write HOST:PORT, as in 127.0.0.1:7007";
        return new TypeConversionException("'" + text + "' is not an address: " + remedy);
    }

    private static int port(String text, String port, int min) {
        try {
            return CountOption.parse(port, min, 65_535);
        } catch (TypeConversionException _) {
            throw new TypeConversionException(
                    "'" + text + "' has no port: '" + port + "' is not a number from " + min + " to 65535");
        }
    }

    private static InetAddress literal(String text, String v6) {
        try {
            return Inet6Address.ofLiteral(v6);
        } catch (IllegalArgumentException _) {
            throw new TypeConversionException(
                    "'" + text + "' is not an address: '" + v6 + "' in brackets is not an IPv6 address");
        }
    }

    /// A name is not resolved, so that it can be looked up again for each connection.
    private static SocketAddress host(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), port);
        } catch (IllegalArgumentException _) {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }
}
