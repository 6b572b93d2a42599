package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;
import static io.millrace.lab.Candidate.Kind.INLINE;

import io.millrace.lab.Candidate.Kind;
import java.nio.file.Path;
import java.util.List;

/// Every server for HTTP/2 the lab knows that runs in a JVM, in clear text or over TLS as its site says.
final class Http2Peers {
    /// One server, told in either way.
    private record InBothWays(MeasuredPeer inClear, MeasuredPeer overTls) {
        Candidate candidate(Path peers, int poolThreads) {
            return new Candidate(
                    inClear.name(),
                    inClear.kind(),
                    inClear.unavailableBecause(peers),
                    site -> (site.isSecure() ? overTls : inClear).command(peers, site, poolThreads));
        }
    }

    /// In the order of the tables.
    private static final List<InBothWays> ALL = List.of(
            millrace("millrace-epoll", INLINE, "--transport epoll"),
            millrace("millrace-epoll-virtual", BLOCKING, "--transport epoll --dispatch virtual"),
            millrace("millrace-io_uring", INLINE, "--transport uring"),
            millrace("millrace-nio", INLINE, "--transport nio"),
            peer("netty-nio", INLINE, "netty", "NettyHttp2", "--transport nio"),
            peer("netty-epoll", INLINE, "netty", "NettyHttp2", "--transport epoll"),
            peer("netty-epoll-frames", INLINE, "netty", "NettyHttp2", "--transport epoll --streams frames"),
            peer(
                    "netty-epoll-tcnative",
                    INLINE,
                    "netty",
                    "NettyHttp2",
                    "--transport epoll --streams frames --engine openssl"),
            peer("netty-io_uring", INLINE, "netty", "NettyHttp2", "--transport io_uring"),
            peer("jetty", INLINE, "jetty", "JettyHttp2", "--handler inline"),
            peer("undertow", INLINE, "undertow", "UndertowHttp2", "--handler inline"),
            peer("helidon", BLOCKING, "helidon", "HelidonHttp2", "--handler inline"),
            peer("vertx-epoll", INLINE, "vertx", "VertxHttp2", "--transport epoll"));

    private Http2Peers() {}

    static List<Candidate> of(Path home, int poolThreads) {
        var peers = home.resolve("lab/peers");
        return ALL.stream().map(peer -> peer.candidate(peers, poolThreads)).toList();
    }

    private static InBothWays millrace(String name, Kind kind, String arguments) {
        return new InBothWays(
                MeasuredPeer.millrace(name, kind, "http", arguments), TlsPeers.millrace(name, kind, arguments));
    }

    private static InBothWays peer(String name, Kind kind, String module, String mainClass, String arguments) {
        return new InBothWays(
                MeasuredPeer.foreign(name, kind, module, mainClass, arguments),
                TlsPeers.peer(name, kind, module, mainClass, arguments));
    }
}
