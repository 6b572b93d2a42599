package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.BLOCKING;
import static io.millrace.lab.Candidate.Kind.INLINE;

import io.millrace.lab.Candidate.Kind;
import java.util.List;

/// Every server for HTTP over TLS the lab knows that runs in a JVM; on the JDK's engine, unless its name says another.
final class TlsPeers {
    /// In the order of the tables.
    static final List<MeasuredPeer> ALL = List.of(
            millrace("millrace-epoll", INLINE, "--transport epoll"),
            millrace("millrace-epoll-virtual", BLOCKING, "--transport epoll --dispatch virtual"),
            millrace("millrace-io_uring", INLINE, "--transport uring"),
            millrace("millrace-nio", INLINE, "--transport nio"),
            peer("netty-nio", INLINE, "netty", "NettyHttp", "--transport nio"),
            peer("netty-epoll", INLINE, "netty", "NettyHttp", "--transport epoll"),
            peer("netty-epoll-tcnative", INLINE, "netty", "NettyHttp", "--transport epoll --engine openssl"),
            peer("undertow", INLINE, "undertow", "UndertowHttp", "--handler inline"),
            peer("jetty", INLINE, "jetty", "JettyHttp", "--handler inline"),
            peer("helidon", BLOCKING, "helidon", "HelidonHttp", "--handler inline"));

    private TlsPeers() {}

    static MeasuredPeer millrace(String name, Kind kind, String arguments) {
        var all = "http --tls-listen {host}:0 --cert {identity}/chain.pem --key {identity}/key.pem --loops 1 ";
        return new MeasuredPeer(
                name, kind, MeasuredPeer.MILLRACE, MeasuredPeer.MAIN, MeasuredPeer.words(all + arguments));
    }

    static MeasuredPeer peer(String name, Kind kind, String module, String mainClass, String arguments) {
        return MeasuredPeer.foreign(name, kind, module, mainClass, arguments + " --identity {identity}");
    }
}
