package io.millrace.lab;

import java.util.List;

/// Every peer the lab knows. A new one is a line here and a small class below `lab/peers`.
final class Peers {
    /// In the order of the tables.
    static final List<Peer> ALL = List.of(
            peer("netty-nio", "netty", "NettyEcho", "--transport nio"),
            peer("netty-nio-pool", "netty", "NettyEcho", "--transport nio --handler pool:{threads}"),
            peer("netty-epoll", "netty", "NettyEcho", "--transport epoll"),
            peer("netty-epoll-pool", "netty", "NettyEcho", "--transport epoll --handler pool:{threads}"),
            peer("netty-io_uring", "netty", "NettyEcho", "--transport io_uring"),
            peer("netty-io_uring-pool", "netty", "NettyEcho", "--transport io_uring --handler pool:{threads}"),
            peer("mina", "mina", "MinaEcho", "--handler inline"),
            peer("mina-pool", "mina", "MinaEcho", "--handler pool:{threads}"),
            peer("grizzly", "grizzly", "GrizzlyEcho", "--handler inline"),
            peer("grizzly-pool", "grizzly", "GrizzlyEcho", "--handler pool:{threads}"),
            peer("t-io", "tio", "TioEcho", "--handler inline"),
            peer("t-io-pool", "tio", "TioEcho", "--handler pool:{threads}"),
            peer("voovan", "voovan", "VoovanEcho", "--handler inline"),
            peer("voovan-pool", "voovan", "VoovanEcho", "--handler pool:{threads}"),
            peer("smart-socket", "smartsocket", "SmartSocketEcho", "--handler inline"),
            peer("smart-socket-pool", "smartsocket", "SmartSocketEcho", "--handler pool:{threads}"),
            peer("xsocket", "xsocket", "XSocketEcho", "--handler inline"),
            peer("xsocket-pool", "xsocket", "XSocketEcho", "--handler pool:{threads}"),
            peer("vertx-nio", "vertx", "VertxEcho", "--transport nio"),
            peer("vertx-nio-pool", "vertx", "VertxEcho", "--transport nio --handler pool:{threads}"),
            peer("vertx-epoll", "vertx", "VertxEcho", "--transport epoll"),
            peer("vertx-epoll-pool", "vertx", "VertxEcho", "--transport epoll --handler pool:{threads}"),
            peer("vertx-io_uring", "vertx", "VertxEcho", "--transport io_uring"),
            peer("vertx-io_uring-pool", "vertx", "VertxEcho", "--transport io_uring --handler pool:{threads}"),
            peer("jdk-selector", "jdk", "SelectorEcho", "--handler inline"),
            peer("jdk-selector-pool", "jdk", "SelectorEcho", "--handler pool:{threads}"),
            peer("jdk-asynchronous", "jdk", "AsynchronousEcho", "--handler inline"),
            peer("jdk-asynchronous-pool", "jdk", "AsynchronousEcho", "--handler pool:{threads}"),
            peer("jdk-virtual-threads", "jdk", "VirtualThreadEcho", "--handler inline"));

    private Peers() {}

    private static Peer peer(String name, String module, String mainClass, String arguments) {
        return new Peer(
                name, module, "io.millrace.lab.peer." + module + "." + mainClass, List.of(arguments.split(" ", -1)));
    }
}
