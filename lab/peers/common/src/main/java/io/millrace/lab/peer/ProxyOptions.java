package io.millrace.lab.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/// What a proxy was asked for on its command line, beside the options of every peer.
///
/// @param peer those of every peer
/// @param layer 4 passes on bytes, 7 requests and responses
/// @param backend the one server behind it
/// @param upstreamLoops where connections to the backend live
/// @param allocator where buffers come from: `pooled`, `unpooled` or `adaptive`
/// @param aggregateBytes the longest body that is collected before it is passed on; 0 passes on what comes as it comes
public record ProxyOptions(
        PeerOptions peer,
        int layer,
        InetSocketAddress backend,
        UpstreamLoops upstreamLoops,
        String allocator,
        int aggregateBytes) {
    /// Which event loops the connections to the backend are given.
    public enum UpstreamLoops {
        /// That of the client's connection.
        SAME,
        /// Any of those that have the connections of clients.
        SHARED,
        /// A group of their own, of as many.
        OWN
    }

    /// Reads `--layer 4|7 --backend HOST:PORT --upstream-loops same|shared|own --allocator pooled|unpooled|adaptive
    /// --aggregate-limit BYTES`; only the backend has to be there. The others are those of [PeerOptions].
    ///
    /// @throws IllegalArgumentException that names what is wrong
    public static ProxyOptions parse(String... arguments) {
        int layer = 4;
        InetSocketAddress backend = null;
        var loops = UpstreamLoops.SAME;
        String allocator = "adaptive";
        int aggregateBytes = 0;
        List<String> others = new ArrayList<>();
        for (Iterator<String> rest = Arrays.asList(arguments).iterator(); rest.hasNext(); ) {
            String name = rest.next();
            switch (name) {
                case "--layer" -> layer = "7".equals(oneOf(name, rest, "4", "7")) ? 7 : 4;
                case "--backend" -> backend = address(value(name, rest));
                case "--upstream-loops" -> loops = loops(oneOf(name, rest, "same", "shared", "own"));
                case "--allocator" -> allocator = oneOf(name, rest, "pooled", "unpooled", "adaptive");
                case "--aggregate-limit" -> aggregateBytes = bytes(value(name, rest));
                default -> {
                    others.add(name);
                    others.add(value(name, rest));
                }
            }
        }
        require(backend != null, "there is no backend to pass anything on to; say --backend HOST:PORT");
        var peer = PeerOptions.parse(others.toArray(String[]::new)).onlyInline();
        return new ProxyOptions(peer, layer, backend, loops, allocator, aggregateBytes);
    }

    private static UpstreamLoops loops(String value) {
        return switch (value) {
            case "own" -> UpstreamLoops.OWN;
            case "shared" -> UpstreamLoops.SHARED;
            default -> UpstreamLoops.SAME;
        };
    }

    private static InetSocketAddress address(String value) {
        int colon = value.lastIndexOf(':');
        require(colon > 0, "--backend needs an address and a port such as 127.0.0.1:8080, not " + value);
        try {
            String host = value.substring(0, colon).replace("[", "").replace("]", "");
            return new InetSocketAddress(InetAddress.ofLiteral(host), Integer.parseInt(value.substring(colon + 1)));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "--backend needs an address and a port such as 127.0.0.1:8080, not " + value, wrong);
        }
    }

    private static int bytes(String value) {
        try {
            int bytes = Integer.parseInt(value);
            require(bytes >= 1, "--aggregate-limit " + value + " is too small; the least is 1");
            return bytes;
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("--aggregate-limit needs a number of bytes, not " + value, notANumber);
        }
    }

    private static String oneOf(String name, Iterator<String> rest, String... allowed) {
        String value = value(name, rest);
        require(
                List.of(allowed).contains(value),
                name + " " + value + " is unknown; say " + String.join(" or ", allowed));
        return value;
    }

    private static String value(String name, Iterator<String> rest) {
        require(rest.hasNext(), name + " needs a value after it");
        return rest.next();
    }

    private static void require(boolean isRight, String message) {
        if (!isRight) {
            throw new IllegalArgumentException(message);
        }
    }
}
