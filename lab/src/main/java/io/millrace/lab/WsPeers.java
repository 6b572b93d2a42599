package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.INLINE;

import java.util.List;
import java.util.stream.Stream;

/// Every server with WebSockets the lab knows that runs in a JVM.
final class WsPeers {
    private static final String ON_LOOP = "--handler inline";

    /// In the order of the tables.
    static final List<MeasuredPeer> ALL = List.of(
            MeasuredPeer.millrace("millrace-epoll", INLINE, "http", "--transport epoll"),
            MeasuredPeer.millrace("millrace-io_uring", INLINE, "http", "--transport uring"),
            MeasuredPeer.millrace("millrace-nio", INLINE, "http", "--transport nio"),
            netty("netty-nio", "--transport nio"),
            netty("netty-epoll", "--transport epoll"),
            netty("netty-io_uring", "--transport io_uring"),
            MeasuredPeer.foreign("jetty", INLINE, "jetty", "JettyWebSocket", ON_LOOP),
            MeasuredPeer.foreign("undertow", INLINE, "undertow", "UndertowWebSocket", ON_LOOP),
            MeasuredPeer.foreign("vertx-epoll", INLINE, "vertx", "VertxWebSocket", "--transport epoll"),
            MeasuredPeer.foreign("t-io", INLINE, "tio", "TioWebSocket", ON_LOOP),
            MeasuredPeer.foreign("voovan", INLINE, "voovan", "VoovanWebSocket", ON_LOOP));

    /// The same, and what sends the bytes of one frame to all.
    static final List<MeasuredPeer> TO_ALL = Stream.concat(
                    ALL.stream(), Stream.of(netty("netty-epoll-bytes", "--transport epoll --broadcast bytes")))
            .toList();

    /// What a quick run takes.
    static final List<String> FEW = List.of(
            "netty-epoll",
            "millrace-epoll",
            "millrace-io_uring",
            "jetty",
            "undertow",
            "vertx-epoll",
            "t-io",
            "voovan",
            "node-ws",
            "go-gorilla");

    static final List<String> FEW_TO_ALL = Stream.concat(
                    Stream.of("c-broadcast", "c-broadcast-together", "netty-epoll-bytes"), FEW.stream())
            .toList();

    private WsPeers() {}

    private static MeasuredPeer netty(String name, String arguments) {
        return MeasuredPeer.foreign(name, INLINE, "netty", "NettyWebSocket", arguments);
    }
}
