package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;
import static io.millrace.lab.Candidate.Kind.INLINE;

import java.util.List;

/// Every HTTP server the lab knows that runs in a JVM. A new one is a line here and a small class below `lab/peers`.
final class HttpPeers {
    static final List<MeasuredPeer> ALL = new PeerList()
            .millrace("http", "virtual", "--dispatch virtual")
            .transports("netty", "NettyHttp")
            .twice("undertow", "undertow", "UndertowHttp")
            .twice("jetty", "jetty", "JettyHttp")
            .transports("vertx", "VertxHttp")
            .once("helidon", BLOCKING, "helidon", "HelidonHttp")
            .twice("grizzly", "grizzly", "GrizzlyHttp")
            .once("voovan", INLINE, "voovan", "VoovanHttp")
            .twice("t-io", "tio", "TioHttp")
            .twice("microhttp", "microhttp", "MicroHttp")
            .twice("jdk-httpserver", "jdk", "JdkHttp")
            .once("jdk-httpserver-virtual-threads", BLOCKING, "jdk", "VirtualThreadHttp")
            .list();

    private HttpPeers() {}
}
