package io.millrace.lab;

import static io.millrace.lab.Candidate.Kind.LAYER_4;
import static io.millrace.lab.Candidate.Kind.LAYER_7;

import io.millrace.lab.Candidate.Kind;
import java.util.ArrayList;
import java.util.List;

/// Every proxy the lab knows that runs in a JVM. A name lists the framework, the layer, the transport, where
/// the connections to the backend live, and, if not the default, its memory or how much of a body it collects
/// before it passes that on.
final class ProxyPeers {
    private static final List<String> TRANSPORTS = List.of("epoll", "io_uring", "nio");
    private static final List<String> LOOPS = List.of("same", "shared", "own");

    /// Aggregation limits of the published comparison.
    private static final int LITTLE = 2_000;

    private static final int MUCH = 100_000_000;

    /// In the order of the tables.
    static final List<MeasuredPeer> ALL = all();

    /// Those that speak HTTP/2 with clients: ours, which need not be told.
    static final List<MeasuredPeer> HTTP_2 = ALL.stream()
            .filter(peer -> peer.isMillrace() && peer.kind() == LAYER_7)
            .toList();

    private ProxyPeers() {}

    private static List<MeasuredPeer> all() {
        var all = new ArrayList<MeasuredPeer>();
        for (var kind : List.of(LAYER_4, LAYER_7)) {
            for (var transport : TRANSPORTS) {
                for (var loops : LOOPS) all.add(millrace(kind, transport, loops, "", ""));
            }
            all.add(millrace(kind, "epoll", "same", "-unpooled", " --slabs unpooled"));
            if (kind == LAYER_7) {
                for (var loops : LOOPS) {
                    all.add(millrace(kind, "epoll", loops, "-2000", " --aggregate-limit " + LITTLE));
                    all.add(millrace(kind, "epoll", loops, "-100m", " --aggregate-limit " + MUCH));
                }
            }
            for (var transport : TRANSPORTS) {
                for (var loops : LOOPS) all.add(netty(kind, transport, loops, "", ""));
            }
            all.add(netty(kind, "epoll", "same", "-pooled", " --allocator pooled"));
            all.add(netty(kind, "epoll", "same", "-unpooled", " --allocator unpooled"));
            if (kind == LAYER_7) {
                for (var loops : LOOPS) {
                    all.add(netty(kind, "epoll", loops, "-2000", " --aggregate-limit " + LITTLE));
                    all.add(netty(kind, "epoll", loops, "-100m", " --aggregate-limit " + MUCH));
                }
            }
        }
        return List.copyOf(all);
    }

    private static MeasuredPeer millrace(Kind kind, String transport, String loops, String variant, String more) {
        var options = "proxy --layer " + layer(kind) + " --listen {host}:0 --to {backend} --upstream-loops " + loops
                + " --transport " + (transport.equals("io_uring") ? "uring" : transport) + " --loops " + count(loops)
                + more;
        return new MeasuredPeer(
                name("millrace", kind, transport, loops, variant),
                kind,
                MeasuredPeer.MILLRACE,
                MeasuredPeer.MAIN,
                MeasuredPeer.words(options));
    }

    private static MeasuredPeer netty(Kind kind, String transport, String loops, String variant, String more) {
        var options = "--layer " + layer(kind) + " --backend {backend} --upstream-loops " + loops + " --transport "
                + transport + " --loops " + count(loops) + more;
        return MeasuredPeer.foreign(
                name("netty", kind, transport, loops, variant), kind, "netty", "NettyProxy", options);
    }

    private static String name(String whose, Kind kind, String transport, String loops, String variant) {
        return whose + "-" + layer(kind) + "-" + transport + "-" + loops + variant;
    }

    private static int layer(Kind kind) {
        return kind == LAYER_7 ? 7 : 4;
    }

    /// A single loop shared would be the same loop. With two, that arrangement has as many threads as the one with
    /// loops of their own.
    private static int count(String loops) {
        return loops.equals("shared") ? 2 : 1;
    }
}
