package io.millrace.lab.peer;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/// What a peer was asked for on its command line.
///
/// @param host the address to listen on
/// @param port where to listen there; 0 lets the kernel choose
/// @param loops threads that poll for events, where the framework has such a number
/// @param poolThreads threads of the pool that runs the handler; 0 runs it inline, on the thread that received
/// @param transport how to reach the kernel: `nio`, `epoll` or `io_uring`
public record PeerOptions(InetAddress host, int port, int loops, int poolThreads, String transport) {
    /// Reads `--host ADDRESS --port N --loops N --handler inline|pool:N --transport NAME`, all of them optional.
    ///
    /// @throws IllegalArgumentException that names what is wrong
    public static PeerOptions parse(String... arguments) {
        var options = new PeerOptions(InetAddress.ofLiteral("127.0.0.1"), 0, 1, 0, "nio");
        for (Iterator<String> rest = Arrays.asList(arguments).iterator(); rest.hasNext(); ) {
            options = options.with(rest.next(), rest);
        }
        return options;
    }

    private PeerOptions with(String name, Iterator<String> rest) {
        require(rest.hasNext(), name + " needs a value after it");
        String value = rest.next();
        return switch (name) {
            case "--host" -> new PeerOptions(host(value), port, loops, poolThreads, transport);
            case "--port" -> new PeerOptions(host, number(name, value, 0), loops, poolThreads, transport);
            case "--loops" -> new PeerOptions(host, port, number(name, value, 1), poolThreads, transport);
            case "--handler" -> new PeerOptions(host, port, loops, poolThreads(value), transport);
            case "--transport" -> new PeerOptions(host, port, loops, poolThreads, value);
            default ->
                throw new IllegalArgumentException(
                        name + " is no option of a peer; there are --host, --port, --loops, --handler and --transport");
        };
    }

    /// Where to listen.
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /// Where to listen, for frameworks that want it in letters.
    public String hostText() {
        return host.getHostAddress();
    }

    /// What a server says that listens there.
    String greeting(int boundPort) {
        return "listening on " + (host instanceof Inet6Address ? "[" + hostText() + "]" : hostText()) + ":" + boundPort;
    }

    /// A port that is free there now, for frameworks that do not say which one they got.
    public int freePort() throws IOException {
        try (var probe = new ServerSocket(0, 1, host)) {
            return probe.getLocalPort();
        }
    }

    /// Whether the handler runs in a pool of its own.
    public boolean isPooled() {
        return poolThreads > 0;
    }

    /// For peers without a pool: refuses one.
    public PeerOptions onlyInline() {
        require(!isPooled(), "--handler pool:" + poolThreads + " is not possible here, only --handler inline");
        return this;
    }

    /// For peers that have but some transports: refuses the others.
    public PeerOptions onlyOn(String... transports) {
        require(
                List.of(transports).contains(transport),
                "--transport " + transport + " is not possible here, only " + String.join(" or ", transports));
        return this;
    }

    private static InetAddress host(String value) {
        try {
            return InetAddress.ofLiteral(value);
        } catch (IllegalArgumentException noAddress) {
            throw new IllegalArgumentException("--host needs an address such as 127.0.0.1, not " + value, noAddress);
        }
    }

    private static int poolThreads(String value) {
        if (value.equals("inline")) {
            return 0;
        }
        require(value.startsWith("pool:"), "--handler " + value + " is unknown; say inline or pool:N");
        return number("--handler pool:", value.substring("pool:".length()), 1);
    }

    private static int number(String name, String value, int atLeast) {
        try {
            int number = Integer.parseInt(value);
            require(number >= atLeast, name + " " + value + " is too small; the least is " + atLeast);
            return number;
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(name + " needs a number, not " + value, notANumber);
        }
    }

    private static void require(boolean isRight, String message) {
        if (!isRight) {
            throw new IllegalArgumentException(message);
        }
    }
}
