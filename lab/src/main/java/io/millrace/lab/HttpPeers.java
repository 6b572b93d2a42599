package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;
import static io.millrace.lab.Candidate.Kind.INLINE;

import io.millrace.lab.Candidate.Kind;
import java.util.List;

/// Every HTTP server the lab knows that runs in a JVM. A new one is a line here and a small class below `lab/peers`.
final class HttpPeers {
    /// In the order of the tables.
    static final List<MeasuredPeer> ALL = List.of(
            millrace("millrace-epoll", INLINE, "--transport epoll"),
            millrace("millrace-epoll-virtual", BLOCKING, "--transport epoll --dispatch virtual"),
            millrace("millrace-epoll-pool", BLOCKING, "--transport epoll --dispatch pool:{threads}"),
            millrace("millrace-io_uring", INLINE, "--transport uring"),
            millrace("millrace-io_uring-virtual", BLOCKING, "--transport uring --dispatch virtual"),
            millrace("millrace-io_uring-pool", BLOCKING, "--transport uring --dispatch pool:{threads}"),
            millrace("millrace-nio", INLINE, "--transport nio"),
            millrace("millrace-nio-virtual", BLOCKING, "--transport nio --dispatch virtual"),
            millrace("millrace-nio-pool", BLOCKING, "--transport nio --dispatch pool:{threads}"),
            peer("netty-nio", INLINE, "netty", "NettyHttp", "--transport nio"),
            peer("netty-nio-pool", BLOCKING, "netty", "NettyHttp", "--transport nio --handler pool:{threads}"),
            peer("netty-epoll", INLINE, "netty", "NettyHttp", "--transport epoll"),
            peer("netty-epoll-pool", BLOCKING, "netty", "NettyHttp", "--transport epoll --handler pool:{threads}"),
            peer("netty-io_uring", INLINE, "netty", "NettyHttp", "--transport io_uring"),
            peer(
                    "netty-io_uring-pool",
                    BLOCKING,
                    "netty",
                    "NettyHttp",
                    "--transport io_uring --handler pool:{threads}"),
            peer("undertow", INLINE, "undertow", "UndertowHttp", "--handler inline"),
            peer("undertow-pool", BLOCKING, "undertow", "UndertowHttp", "--handler pool:{threads}"),
            peer("jetty", INLINE, "jetty", "JettyHttp", "--handler inline"),
            peer("jetty-pool", BLOCKING, "jetty", "JettyHttp", "--handler pool:{threads}"),
            peer("vertx-nio", INLINE, "vertx", "VertxHttp", "--transport nio"),
            peer("vertx-nio-pool", BLOCKING, "vertx", "VertxHttp", "--transport nio --handler pool:{threads}"),
            peer("vertx-epoll", INLINE, "vertx", "VertxHttp", "--transport epoll"),
            peer("vertx-epoll-pool", BLOCKING, "vertx", "VertxHttp", "--transport epoll --handler pool:{threads}"),
            peer("vertx-io_uring", INLINE, "vertx", "VertxHttp", "--transport io_uring"),
            peer(
                    "vertx-io_uring-pool",
                    BLOCKING,
                    "vertx",
                    "VertxHttp",
                    "--transport io_uring --handler pool:{threads}"),
            peer("helidon", BLOCKING, "helidon", "HelidonHttp", "--handler inline"),
            peer("grizzly", INLINE, "grizzly", "GrizzlyHttp", "--handler inline"),
            peer("grizzly-pool", BLOCKING, "grizzly", "GrizzlyHttp", "--handler pool:{threads}"),
            peer("voovan", INLINE, "voovan", "VoovanHttp", "--handler inline"),
            peer("t-io", INLINE, "tio", "TioHttp", "--handler inline"),
            peer("t-io-pool", BLOCKING, "tio", "TioHttp", "--handler pool:{threads}"),
            peer("microhttp", INLINE, "microhttp", "MicroHttp", "--handler inline"),
            peer("microhttp-pool", BLOCKING, "microhttp", "MicroHttp", "--handler pool:{threads}"),
            peer("jdk-httpserver", INLINE, "jdk", "JdkHttp", "--handler inline"),
            peer("jdk-httpserver-pool", BLOCKING, "jdk", "JdkHttp", "--handler pool:{threads}"),
            peer("jdk-httpserver-virtual-threads", BLOCKING, "jdk", "VirtualThreadHttp", "--handler inline"));

    private HttpPeers() {}

    private static MeasuredPeer millrace(String name, Kind kind, String arguments) {
        return MeasuredPeer.millrace(name, kind, "http", arguments);
    }

    private static MeasuredPeer peer(String name, Kind kind, String module, String mainClass, String arguments) {
        return MeasuredPeer.foreign(name, kind, module, mainClass, arguments);
    }
}
