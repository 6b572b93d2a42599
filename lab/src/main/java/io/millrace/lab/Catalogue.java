package io.millrace.lab;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Every server that the lab can start here for a workload: the floors in C, the peers, references that are not
/// JVMs, and the user's commands. Immutable.
public final class Catalogue {
    private final List<Candidate> all;
    private final Optional<LabBackend> backend;

    private Catalogue(List<Candidate> all, Optional<LabBackend> backend) {
        this.all = List.copyOf(all);
        this.backend = backend;
    }

    /// Compiles the floors if there is a C compiler; the peers must have been built. References are compiled
    /// when they are started.
    ///
    /// @param home the folder of the project
    /// @param workload what is going to be measured
    /// @param poolThreads of peers whose handler runs in a pool
    /// @param extras commands of a shell, by the name that tables shall call them; `{port}` stands for the port to
    ///     listen on, `{host}` for the address, `{backend}`, for proxies, for `HOST:PORT` of what is behind, and
    ///     `{identity}`, over TLS, for the folder with key and certificate
    /// @throws IllegalArgumentException with a sentence, for an extra server that has the name of a peer
    public static Catalogue of(Path home, Workload workload, int poolThreads, Map<String, String> extras)
            throws InterruptedException {
        var all = new ArrayList<Candidate>();
        var backend = Optional.<LabBackend>empty();
        switch (workload.protocol()) {
            case ECHO -> {
                for (var floor : Floors.compile(home)) all.add(floor(floor));
                addPeers(EchoPeers.ALL, List.of(), home, poolThreads, all);
            }
            case HTTP -> {
                var more = workload == Workload.CLOSE ? List.of("--close") : List.<String>of();
                addPeers(HttpPeers.ALL, more, home, poolThreads, all);
                all.addAll(References.of(home));
            }
            case HTTPS -> {
                addPeers(TlsPeers.ALL, List.of(), home, poolThreads, all);
                all.addAll(TlsReferences.of(home));
            }
            case HTTP2 -> {
                all.addAll(Http2Peers.of(home, poolThreads));
                all.addAll(Http2References.of(home));
            }
            case WEBSOCKET -> {
                addPeers(WsPeers.ALL, List.of(), home, poolThreads, all);
                all.addAll(References.ofWebSockets(home));
            }
            case BROADCAST -> {
                for (var floor : Floors.broadcast(home)) all.add(floor(floor));
                addPeers(WsPeers.TO_ALL, List.of(), home, poolThreads, all);
                all.addAll(References.ofWebSockets(home));
            }
            case HTTP2_PROXY -> {
                backend = Optional.of(LabBackend.of(home));
                all.addAll(ProxyReferences.ofHttp2(home));
                addPeers(ProxyPeers.HTTP_2, List.of(), home, poolThreads, all);
            }
            case PROXY -> {
                var pages = LabBackend.of(home);
                backend = Optional.of(pages);
                all.addAll(ProxyReferences.of(home, pages));
                addPeers(ProxyPeers.ALL, List.of(), home, poolThreads, all);
            }
        }
        for (var extra : extras.entrySet()) {
            if (all.stream().anyMatch(candidate -> candidate.name().equals(extra.getKey()))) {
                throw new IllegalArgumentException(
                        "'" + extra.getKey() + "' is the name of a peer; give the extra server another");
            }
            all.add(extra(extra.getKey(), extra.getValue()));
        }
        return new Catalogue(all, backend);
    }

    private static void addPeers(
            List<MeasuredPeer> some, List<String> more, Path home, int poolThreads, List<Candidate> to) {
        var peers = home.resolve("lab/peers");
        for (var peer : some) {
            to.add(new Candidate(
                    peer.name(),
                    peer.kind(),
                    peer.unavailableBecause(peers),
                    site -> peer.with(more).command(peers, site, poolThreads)));
        }
    }

    private static Candidate floor(Floor floor) {
        return switch (floor) {
            case Floor.Ready ready ->
                new Candidate(
                        ready.name(),
                        Kind.ANY,
                        "",
                        site -> new ServerCommand(ready.name(), filled(ready.words(), site, 0), Optional.empty()));
            case Floor.Absent absent ->
                new Candidate(absent.name(), Kind.ANY, absent.reason(), _ -> {
                    throw new IOException(absent.reason());
                });
        };
    }

    /// It need not report when it listens.
    private static Candidate extra(String name, String command) {
        var words = List.of("sh", "-c", "exec " + command);
        return new Candidate(name, Kind.ANY, "", site -> {
            int port = freePort();
            var address = new InetSocketAddress(site.host(), port);
            return new ServerCommand(name, filled(words, site, port), Optional.of(address));
        });
    }

    private static List<String> filled(List<String> words, PeerSite site, int port) {
        return words.stream()
                .map(word -> site.fill(word).replace("{port}", Integer.toString(port)))
                .toList();
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    List<Candidate> all() {
        return all;
    }

    /// The server behind the proxies; empty for servers that answer themselves.
    Optional<LabBackend> backend() {
        return backend;
    }

    /// The candidates with these names, in this order.
    ///
    /// @throws IllegalArgumentException for a name that is not here
    List<Candidate> find(List<String> names) {
        return names.stream().map(this::find).toList();
    }

    private Candidate find(String name) {
        return all.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no peer '" + name + "'; there are "
                        + all.stream().map(Candidate::name).collect(Collectors.joining(", "))));
    }

    /// A workload's default peers.
    ///
    /// @param isFull or only a few, and of those what is available
    public List<String> peersOf(Workload workload, boolean isFull) {
        return workload.peers(isFull, this);
    }

    /// The peers that ratios refer to unless others are named.
    ///
    /// @param peers that take part, at least one
    public List<String> baselinesOf(Workload workload, List<String> peers) {
        var there = peers.stream()
                .filter(name -> all.stream()
                        .anyMatch(candidate -> candidate.name().equals(name)
                                && candidate.unavailableBecause().isEmpty()))
                .toList();
        return workload.baselinesOf(there.isEmpty() ? peers : there);
    }

    /// A name, and why it cannot be started here; empty when it can.
    public record Entry(String name, String unavailableBecause) {}

    public List<Entry> entries() {
        return all.stream()
                .map(candidate -> new Entry(candidate.name(), candidate.unavailableBecause()))
                .toList();
    }
}
