package io.millrace.lab;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.report.LoadShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// What the lab can measure, and the defaults of each workload.
@SuppressWarnings("ImmutableEnumChecker") // its lists are immutable, which their type does not say
public enum Workload {
    /// Echo with a handler that may block: in a pool of threads, or on virtual threads (Netty and MINA, 2013).
    EXECUTOR(
            Protocol.ECHO,
            "echo with a handler that may block, over message sizes",
            List.of(
                    "c-epoll",
                    "millrace-epoll-direct",
                    "millrace-epoll-pool",
                    "netty-epoll-pool",
                    "mina-pool",
                    "grizzly-pool"),
            List.of(Shapes.echo(List.of(1024, 5 * 1024, 50 * 1024), 50)),
            List.of(Shapes.echo(List.of(1024, 2048, 5 * 1024, 10 * 1024, 50 * 1024, 100 * 1024), 50))),

    /// Echo of fixed-length messages, handler inline and in a pool (five frameworks, 2008).
    PINGPONG(
            Protocol.ECHO,
            "echo over message sizes and connections, with an inline handler and one that may block",
            List.of(
                    "c-epoll",
                    "millrace-epoll",
                    "millrace-epoll-direct",
                    "netty-epoll",
                    "netty-epoll-pool",
                    "netty-io_uring",
                    "mina",
                    "mina-pool",
                    "grizzly"),
            List.of(Shapes.echo(List.of(64, 16 * 1024), 50)),
            List.of(Shapes.echo(List.of(64, 256, 1024, 4096, 16 * 1024), 1, 10, 100, 1000))),

    /// The cost of an idle connection.
    IDLE(
            Protocol.ECHO,
            "memory of idle connections",
            List.of("c-epoll", "millrace-epoll", "millrace-epoll-direct", "netty-epoll", "mina", "jdk-virtual-threads"),
            List.of(Shapes.echo(List.of(64), 5000)),
            List.of(Shapes.echo(List.of(64), 5000))),

    /// One request for each connection, which the server closes (t-io and Voovan, 2017).
    CLOSE(
            Protocol.HTTP,
            "HTTP, a connection for each request, which the server closes",
            List.of(
                    "netty-epoll",
                    "millrace-epoll",
                    "millrace-epoll-virtual",
                    "millrace-io_uring",
                    "netty-io_uring",
                    "undertow",
                    "t-io",
                    "voovan",
                    "jdk-httpserver",
                    "nginx",
                    "go-net-http",
                    "rust-hyper"),
            List.of(Shapes.of(Exchange.CLOSE, 50)),
            List.of(Shapes.of(Exchange.CLOSE, 50, 100, 500, 1000))),

    /// Small responses on persistent connections, one at a time and pipelined (Netty, 2014).
    PLAINTEXT(
            Protocol.HTTP,
            "HTTP, small responses on persistent connections, also pipelined",
            List.of(
                    "netty-epoll",
                    "netty-io_uring",
                    "millrace-epoll",
                    "millrace-epoll-virtual",
                    "millrace-io_uring",
                    "undertow",
                    "nginx",
                    "rust-hyper"),
            List.of(Shapes.of(Exchange.REQUESTS, 64), Shapes.pipelined(List.of(16, 256), 256)),
            List.of(Shapes.of(Exchange.REQUESTS, 8, 64, 1000), Shapes.pipelined(List.of(16, 256), 8, 256, 1000))),

    /// Full and resumed handshakes, small responses and bodies over TLS, and the cost of idle connections.
    TLS(
            Protocol.HTTPS,
            "HTTP over TLS: handshakes, small responses, bodies, idle connections",
            List.of(
                    "netty-epoll",
                    "netty-epoll-tcnative",
                    "millrace-epoll",
                    "millrace-epoll-virtual",
                    "jetty",
                    "undertow",
                    "helidon",
                    "nginx",
                    "haproxy",
                    "go-net-http"),
            Shapes.overTls(List.of(16 * 1024, 1024 * 1024), 32),
            Shapes.overTls(List.of(16 * 1024, 1024 * 1024), 32, 256)),

    /// Small responses in HTTP/2, one or several at a time on each connection, in clear text or over TLS.
    HTTP2(
            Protocol.HTTP2,
            "HTTP/2, small responses, in one stream and in ten of each connection",
            List.of(
                    "netty-epoll",
                    "netty-epoll-frames",
                    "millrace-epoll",
                    "millrace-epoll-virtual",
                    "jetty",
                    "undertow",
                    "helidon",
                    "vertx-epoll",
                    "nghttpd",
                    "nginx",
                    "go-net-http",
                    "rust-hyper"),
            List.of(Shapes.streams(List.of(10), 32), Shapes.streams(List.of(1), 64)),
            List.of(Shapes.streams(List.of(10, 100), 32), Shapes.streams(List.of(1), 64, 1000))),

    /// The cost of an idle connection of HTTP/2, in clear text or over TLS.
    HTTP2_IDLE(
            Protocol.HTTP2,
            "memory of idle connections of HTTP/2, before and after their first request",
            List.of(
                    "millrace-epoll",
                    "millrace-epoll-virtual",
                    "netty-epoll",
                    "jetty",
                    "nghttpd",
                    "nginx",
                    "go-net-http"),
            List.of(Shapes.streams(Shapes.ONE, 5000)),
            List.of(Shapes.streams(Shapes.ONE, 5000))),

    /// Messages of text over WebSockets that come back, the next one when the last one has.
    WS(
            Protocol.WEBSOCKET,
            "messages over WebSockets that come back",
            WsPeers.FEW,
            List.of(Shapes.messages(Exchange.WS_ECHO, List.of(64, 1024), 64)),
            List.of(Shapes.messages(Exchange.WS_ECHO, List.of(64, 1024), 64, 1000))),

    /// Messages of text over WebSockets that each go to all of them.
    BROADCAST(
            Protocol.BROADCAST,
            "messages of four WebSockets to ten thousand, and the cost of each that is delivered",
            WsPeers.FEW_TO_ALL,
            List.of(Shapes.messages(Exchange.BROADCAST, List.of(64), 10_000)),
            List.of(Shapes.messages(Exchange.BROADCAST, List.of(64, 1024), 10_000))),

    /// Pages of a server that speaks HTTP/1.1 behind proxies whose clients speak HTTP/2.
    HTTP2_PROXY(
            Protocol.HTTP2_PROXY,
            "proxies from HTTP/2 to HTTP/1.1, in front of a server with pages",
            List.of("nginx-proxy", "haproxy-http", "millrace-7-epoll-same"),
            Shapes.pagesInStreams(List.of(600)),
            Shapes.pagesInStreams(List.of(600, 64 * 1024))),

    /// Pages of a server behind layer 4 and layer 7 proxies (Netty, 2019).
    PROXY(
            Protocol.PROXY,
            "layer 4 and HTTP proxies in front of a server with pages",
            List.of(
                    "direct",
                    "haproxy-tcp",
                    "nginx-stream",
                    "millrace-4-epoll-same",
                    "netty-4-epoll-same",
                    "haproxy-http",
                    "nginx-proxy",
                    "millrace-7-epoll-same",
                    "netty-7-epoll-same"),
            List.of(Shapes.pages(List.of(600, 64 * 1024), 64)),
            List.of(Shapes.pages(List.of(600, 64 * 1024, 1024 * 1024), 64)));

    private static final int HELLO_BYTES = 13;
    private static final int IDLE_OVER_TLS = 2000;

    /// By protocol; the proxies of each layer have their own: in each line, the first peer that takes part is a
    /// baseline.
    private static final Map<Protocol, List<List<String>>> BASELINES = Map.of(
            Protocol.ECHO, List.of(List.of("c-epoll")),
            Protocol.HTTP, List.of(List.of("netty-epoll")),
            Protocol.HTTPS, List.of(List.of("netty-epoll")),
            Protocol.HTTP2, List.of(List.of("netty-epoll")),
            Protocol.WEBSOCKET, List.of(List.of("netty-epoll")),
            Protocol.BROADCAST, List.of(List.of("c-broadcast-together", "c-broadcast"), List.of("netty-epoll")),
            Protocol.HTTP2_PROXY, List.of(List.of("nginx-proxy", "haproxy-http")),
            Protocol.PROXY,
                    List.of(
                            List.of("haproxy-tcp", "nginx-stream", "netty-4-epoll-same"),
                            List.of("nginx-proxy", "haproxy-http", "netty-7-epoll-same")));

    /// Every exchange, size and depth with every number of connections.
    ///
    /// @param depths how many messages or requests are in flight on each connection
    public record Shapes(
            List<Exchange> exchanges, List<Integer> sizesBytes, List<Integer> depths, List<Integer> connections) {
        private static final List<Integer> SMALL = List.of(HELLO_BYTES);
        private static final List<Integer> ONE = List.of(1);

        /// Small responses, one at a time.
        static Shapes of(Exchange exchange, Integer... connections) {
            return new Shapes(List.of(exchange), SMALL, ONE, List.of(connections));
        }

        static Shapes echo(List<Integer> sizesBytes, Integer... connections) {
            return messages(Exchange.ECHO, sizesBytes, connections);
        }

        /// Of some size, one at a time.
        static Shapes messages(Exchange exchange, List<Integer> sizesBytes, Integer... connections) {
            return new Shapes(List.of(exchange), sizesBytes, ONE, List.of(connections));
        }

        static Shapes pages(List<Integer> sizesBytes, Integer... connections) {
            return messages(Exchange.PAGES, sizesBytes, connections);
        }

        /// Small responses in so many streams of each connection.
        static Shapes streams(List<Integer> streams, Integer... connections) {
            return new Shapes(List.of(Exchange.STREAMS), SMALL, streams, List.of(connections));
        }

        private static List<Shapes> pagesInStreams(List<Integer> sizesBytes) {
            var pages = List.of(Exchange.STREAMED_PAGES);
            return List.of(
                    new Shapes(pages, sizesBytes, List.of(10), List.of(32)),
                    new Shapes(pages, sizesBytes, ONE, List.of(64)));
        }

        /// Once all alike, as others have measured, and once all different, as in practice.
        static Shapes pipelined(List<Integer> depths, Integer... connections) {
            var both = List.of(Exchange.REQUESTS, Exchange.VARIED_REQUESTS);
            return new Shapes(both, SMALL, depths, List.of(connections));
        }

        private static List<Shapes> overTls(List<Integer> bodiesBytes, Integer... atOnce) {
            return List.of(
                    of(Exchange.HANDSHAKES, atOnce),
                    of(Exchange.RESUMED, atOnce),
                    of(Exchange.REQUESTS, 64),
                    new Shapes(List.of(Exchange.BODIES), bodiesBytes, ONE, List.of(8)));
        }

        /// With further exchanges.
        public Shapes and(List<Exchange> more) {
            var all = Stream.concat(exchanges.stream(), more.stream()).toList();
            return new Shapes(all, sizesBytes, depths, connections);
        }

        /// With other values, where these are not empty and apply.
        public Shapes with(List<Integer> otherSizesBytes, List<Integer> otherDepths, List<Integer> otherConnections) {
            boolean hasSizes = exchanges.stream().anyMatch(Exchange::hasSize);
            return new Shapes(
                    exchanges,
                    hasSizes && !otherSizesBytes.isEmpty() ? otherSizesBytes : sizesBytes,
                    otherDepths.isEmpty() ? depths : otherDepths,
                    otherConnections.isEmpty() ? connections : otherConnections);
        }
    }

    private final Protocol protocol;
    private final String words;
    private final List<String> fewPeers;
    private final List<Shapes> few;
    private final List<Shapes> all;

    Workload(Protocol protocol, String words, List<String> fewPeers, List<Shapes> few, List<Shapes> all) {
        this.protocol = protocol;
        this.words = words;
        this.fewPeers = fewPeers;
        this.few = few;
        this.all = all;
    }

    /// The protocol of its servers.
    public Protocol protocol() {
        return protocol;
    }

    /// Its description in a list.
    public String words() {
        return words;
    }

    /// Sizes, depths and connections.
    ///
    /// @param isFull whether to return all, or only those that take three minutes
    public List<Shapes> shapes(boolean isFull) {
        return isFull ? all : few;
    }

    /// Whether messages or bodies have a size that can be chosen.
    public boolean hasSizes() {
        return all.stream().flatMap(some -> some.exchanges().stream()).anyMatch(Exchange::hasSize);
    }

    /// As the command calls it.
    public String command() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Whether servers have a key, whose kind can be chosen.
    public boolean hasKeys() {
        return protocol == Protocol.HTTPS || mayBeOverTls();
    }

    /// Whether its servers speak TLS on request.
    public boolean mayBeOverTls() {
        return protocol == Protocol.HTTP2;
    }

    /// The longest warm-up of a peer before the first round, in seconds. A handshake is much code and slow, so
    /// the compiler sees its calls late; HTTP/2 is more code than HTTP/1.1.
    public double warmUpSeconds(boolean isFull) {
        double seconds = isFull ? 8 : 4;
        return switch (this) {
            case TLS -> 5 * seconds;
            case HTTP2, HTTP2_IDLE, HTTP2_PROXY, WS, BROADCAST -> 3 * seconds;
            case EXECUTOR, PINGPONG, IDLE, CLOSE, PLAINTEXT, PROXY -> seconds;
        };
    }

    /// The shapes for which idle connections are measured, after the rounds or instead of them.
    List<LoadShape> idle(List<LoadShape> shapes) {
        return switch (this) {
            case IDLE, HTTP2_IDLE -> shapes;
            case TLS -> List.of(new LoadShape(Exchange.REQUESTS, HELLO_BYTES, IDLE_OVER_TLS, 1, ""));
            case EXECUTOR, PINGPONG, CLOSE, PLAINTEXT, PROXY, HTTP2, HTTP2_PROXY, WS, BROADCAST -> List.of();
        };
    }

    /// Whether there are rounds, and not only idle connections.
    boolean hasRounds() {
        return this != IDLE && this != HTTP2_IDLE;
    }

    /// Whether more than one request may be in flight on a connection.
    public boolean hasDepths() {
        return this == PLAINTEXT || this == HTTP2 || this == HTTP2_PROXY;
    }

    /// @param peers that take part, at least one
    List<String> baselinesOf(List<String> peers) {
        var found = BASELINES.getOrDefault(protocol, List.of()).stream()
                .flatMap(line -> line.stream().filter(peers::contains).limit(1))
                .toList();
        return found.isEmpty() ? List.of(peers.getFirst()) : found;
    }

    List<String> peers(boolean isFull, Catalogue catalogue) {
        if (!isFull) return fewPeers;
        var names = new ArrayList<String>();
        for (var candidate : catalogue.all()) {
            if (this != EXECUTOR || candidate.kind() != Candidate.Kind.INLINE || isReference(candidate))
                names.add(candidate.name());
        }
        return names;
    }

    /// With `executor` some inline handlers stand beside those in pools, as they did in the published figures.
    private static boolean isReference(Candidate candidate) {
        return Stream.of("millrace-epoll", "netty-nio", "netty-epoll").anyMatch(candidate.name()::equals);
    }
}
