package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;
import static io.millrace.lab.Candidate.Kind.INLINE;

import io.millrace.lab.Candidate.Kind;
import java.util.List;

/// Every echo server the lab knows, other than floors. A new one is a line here and a small class below `lab/peers`.
final class EchoPeers {
    /// In the order of the tables.
    static final List<MeasuredPeer> ALL = List.of(
            millrace("millrace-epoll", INLINE, "--transport epoll"),
            millrace("millrace-epoll-direct", BLOCKING, "--transport epoll --style direct"),
            millrace("millrace-epoll-pool", BLOCKING, "--transport epoll --dispatch pool:{threads}"),
            millrace("millrace-io_uring", INLINE, "--transport uring"),
            millrace("millrace-io_uring-direct", BLOCKING, "--transport uring --style direct"),
            millrace("millrace-io_uring-pool", BLOCKING, "--transport uring --dispatch pool:{threads}"),
            millrace("millrace-nio", INLINE, "--transport nio"),
            millrace("millrace-nio-direct", BLOCKING, "--transport nio --style direct"),
            millrace("millrace-nio-pool", BLOCKING, "--transport nio --dispatch pool:{threads}"),
            peer("netty-nio", INLINE, "netty", "NettyEcho", "--transport nio"),
            peer("netty-nio-pool", BLOCKING, "netty", "NettyEcho", "--transport nio --handler pool:{threads}"),
            peer("netty-epoll", INLINE, "netty", "NettyEcho", "--transport epoll"),
            peer("netty-epoll-pool", BLOCKING, "netty", "NettyEcho", "--transport epoll --handler pool:{threads}"),
            peer("netty-io_uring", INLINE, "netty", "NettyEcho", "--transport io_uring"),
            peer(
                    "netty-io_uring-pool",
                    BLOCKING,
                    "netty",
                    "NettyEcho",
                    "--transport io_uring --handler pool:{threads}"),
            peer("mina", INLINE, "mina", "MinaEcho", "--handler inline"),
            peer("mina-pool", BLOCKING, "mina", "MinaEcho", "--handler pool:{threads}"),
            peer("grizzly", INLINE, "grizzly", "GrizzlyEcho", "--handler inline"),
            peer("grizzly-pool", BLOCKING, "grizzly", "GrizzlyEcho", "--handler pool:{threads}"),
            peer("t-io", INLINE, "tio", "TioEcho", "--handler inline"),
            peer("t-io-pool", BLOCKING, "tio", "TioEcho", "--handler pool:{threads}"),
            peer("voovan", INLINE, "voovan", "VoovanEcho", "--handler inline"),
            peer("voovan-pool", BLOCKING, "voovan", "VoovanEcho", "--handler pool:{threads}"),
            peer("smart-socket", INLINE, "smartsocket", "SmartSocketEcho", "--handler inline"),
            peer("smart-socket-pool", BLOCKING, "smartsocket", "SmartSocketEcho", "--handler pool:{threads}"),
            peer("xsocket", INLINE, "xsocket", "XSocketEcho", "--handler inline"),
            peer("xsocket-pool", BLOCKING, "xsocket", "XSocketEcho", "--handler pool:{threads}"),
            peer("vertx-nio", INLINE, "vertx", "VertxEcho", "--transport nio"),
            peer("vertx-nio-pool", BLOCKING, "vertx", "VertxEcho", "--transport nio --handler pool:{threads}"),
            peer("vertx-epoll", INLINE, "vertx", "VertxEcho", "--transport epoll"),
            peer("vertx-epoll-pool", BLOCKING, "vertx", "VertxEcho", "--transport epoll --handler pool:{threads}"),
            peer("vertx-io_uring", INLINE, "vertx", "VertxEcho", "--transport io_uring"),
            peer(
                    "vertx-io_uring-pool",
                    BLOCKING,
                    "vertx",
                    "VertxEcho",
                    "--transport io_uring --handler pool:{threads}"),
            peer("jdk-selector", INLINE, "jdk", "SelectorEcho", "--handler inline"),
            peer("jdk-selector-pool", BLOCKING, "jdk", "SelectorEcho", "--handler pool:{threads}"),
            peer("jdk-asynchronous", INLINE, "jdk", "AsynchronousEcho", "--handler inline"),
            peer("jdk-asynchronous-pool", BLOCKING, "jdk", "AsynchronousEcho", "--handler pool:{threads}"),
            peer("jdk-virtual-threads", BLOCKING, "jdk", "VirtualThreadEcho", "--handler inline"));

    private EchoPeers() {}

    private static MeasuredPeer millrace(String name, Kind kind, String arguments) {
        return MeasuredPeer.millrace(name, kind, "echo", arguments);
    }

    private static MeasuredPeer peer(String name, Kind kind, String module, String mainClass, String arguments) {
        return MeasuredPeer.foreign(name, kind, module, mainClass, arguments);
    }
}
