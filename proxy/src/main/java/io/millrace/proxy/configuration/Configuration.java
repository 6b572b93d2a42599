package io.millrace.proxy.configuration;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.filter.AccessLog;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.UpstreamSettings;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A whole proxy's configuration. Every name in it resolves: routes and listeners name only upstreams that it has.
///
/// @param listeners by name, at least one
/// @param routes by name, in the order of the file
/// @param upstreams by name
/// @param drain how long requests in progress may take to end when the proxy stops
public record Configuration(
        SequencedMap<String, ListenerSettings> listeners,
        SequencedMap<String, RouteSettings> routes,
        SequencedMap<String, ConfiguredUpstream> upstreams,
        ForwardingRules forwarding,
        Optional<AccessLogSettings> accessLog,
        Optional<AdminSettings> admin,
        RuntimeSettings runtime,
        Duration drain) {
    public static final Duration STANDARD_DRAIN = Duration.ofSeconds(30);

    /// The files of certificates, keys and error pages that were read with it.
    public List<Path> files() {
        var ofListeners = listeners.values().stream().flatMap(one -> one.tls().stream());
        var contents = Stream.concat(
                listeners.values().stream().map(ListenerSettings::content),
                routes.values().stream().map(RouteSettings::content));
        return Stream.of(
                        ofListeners.flatMap(tls -> tls.files().stream()),
                        upstreams.values().stream().flatMap(one -> one.files().stream()),
                        contents.flatMap(content -> content.files().stream()))
                .flatMap(files -> files)
                .distinct()
                .toList();
    }

    /// The certificates that authorities issue for it.
    public Set<AcmeSettings> acme() {
        return listeners.values().stream()
                .flatMap(one -> one.tls().stream())
                .flatMap(tls -> tls.acme().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /// The routes of a listener.
    public List<RouteSettings> routesOf(String listener) {
        return routes.values().stream()
                .filter(route ->
                        route.listeners().isEmpty() || route.listeners().contains(listener))
                .toList();
    }

    /// Servers that share the work.
    ///
    /// @param loops which loops their connections live on; the loops themselves do not exist yet
    /// @param files its certificates and keys, read again when they change
    public record ConfiguredUpstream(UpstreamSettings settings, UpstreamLoops loops, List<Path> files) {}

    /// Which event loop a connection to a backend lives on.
    public enum UpstreamLoops {
        /// The client connection's.
        SAME,
        /// Any of those that serve clients.
        SHARED,
        /// One of the upstream's own group.
        OWN
    }

    /// What a forwarded request says about its way here, for all upstreams.
    ///
    /// @param connect where CONNECT may lead, each `HOST:PORT`; empty refuses it
    public record ForwardingRules(Forwarding rules, Set<String> connect) {
        public static final ForwardingRules STANDARD = new ForwardingRules(Forwarding.standard(), Set.of());
    }

    /// A line for each request.
    ///
    /// @param file reopened on SIGUSR1; empty for standard output
    public record AccessLogSettings(AccessLog.Format format, Optional<Path> file) {}

    /// The page that shows what the proxy does, and the metrics.
    ///
    /// @param token for changes, and for reading from other machines
    /// @param metrics the path of the Prometheus metrics; empty for none
    public record AdminSettings(SocketAddress address, Optional<String> token, String metrics) {
        /// Without the token.
        @Override
        public String toString() {
            return "AdminSettings[" + address + ", token " + (token.isPresent() ? "set" : "not set") + ", " + metrics
                    + "]";
        }
    }

    /// Threads and memory. Changes take effect with the next start.
    ///
    /// @param loops event loops; 0 for one for each core
    /// @param dispatch where requests are handled: on the loop, as a proxy never blocks; elsewhere only for
    /// measurements
    /// @param isPooled whether buffers are reused
    /// @param handOver the Unix socket through which the next process takes over; empty for none
    /// @param aggregateBytes bodies of up to this many bytes are collected before they are forwarded
    public record RuntimeSettings(
            int loops,
            TransportKind transport,
            Dispatch dispatch,
            boolean isPooled,
            long aggregateBytes,
            Optional<Path> handOver) {
        public static final RuntimeSettings STANDARD =
                new RuntimeSettings(0, TransportKind.AUTO, Dispatch.loop(), true, 0, Optional.empty());
    }
}
