package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;

import java.util.List;

/// Every echo server the lab knows, other than floors. A new one is a line here and a small class below `lab/peers`.
final class EchoPeers {
    static final List<MeasuredPeer> ALL = new PeerList()
            .millrace("echo", "direct", "--style direct")
            .transports("netty", "NettyEcho")
            .twice("mina", "mina", "MinaEcho")
            .twice("grizzly", "grizzly", "GrizzlyEcho")
            .twice("t-io", "tio", "TioEcho")
            .twice("voovan", "voovan", "VoovanEcho")
            .twice("smart-socket", "smartsocket", "SmartSocketEcho")
            .twice("xsocket", "xsocket", "XSocketEcho")
            .transports("vertx", "VertxEcho")
            .twice("jdk-selector", "jdk", "SelectorEcho")
            .twice("jdk-asynchronous", "jdk", "AsynchronousEcho")
            .once("jdk-virtual-threads", BLOCKING, "jdk", "VirtualThreadEcho")
            .list();

    private EchoPeers() {}
}
