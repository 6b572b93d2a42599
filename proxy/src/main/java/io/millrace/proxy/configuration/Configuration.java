package io.millrace.proxy.configuration;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
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
import java.util.stream.Stream;

/// A whole proxy. Whatever is named in it is there: routes and listeners mention only upstreams that it has.
///
/// @param listeners by name, one at least
/// @param routes by name, in the order of the file
/// @param upstreams by name
/// @param drain how long requests under way have to end when the proxy stops
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

    /// Files that were read with it, of certificates and keys.
    public List<Path> files() {
        var ofListeners = listeners.values().stream().flatMap(one -> one.tls().stream());
        return Stream.concat(
                        ofListeners.flatMap(tls -> tls.files().stream()),
                        upstreams.values().stream().flatMap(one -> one.files().stream()))
                .distinct()
                .toList();
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
    /// @param loops where connections to them live: the configuration knows no loops yet
    /// @param files of certificates and keys that were read for it, and are read again when they change
    public record ConfiguredUpstream(UpstreamSettings settings, UpstreamLoops loops, List<Path> files) {}

    /// Which event loop a connection to a backend lives on.
    public enum UpstreamLoops {
        /// That of the client's connection.
        SAME,
        /// One of those that serve clients.
        SHARED,
        /// One of a group of its own.
        OWN
    }

    /// What a request that is passed on says of its way, for all upstreams.
    ///
    /// @param connect where CONNECT may lead, each `HOST:PORT`; empty to refuse it
    public record ForwardingRules(Forwarding rules, Set<String> connect) {
        public static final ForwardingRules STANDARD = new ForwardingRules(Forwarding.standard(), Set.of());
    }

    /// A line for each request.
    ///
    /// @param file opened again on SIGUSR1; empty for the standard output
    public record AccessLogSettings(AccessLog.Format format, Optional<Path> file) {}

    /// The page that shows what is going on, and the metrics.
    ///
    /// @param token for what changes something, and for reading it from other machines
    /// @param metrics the path of the metrics for Prometheus there; empty for none
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
    /// @param dispatch where requests are handled: a proxy itself never waits, so on the loop but for measurements
    /// @param isPooled whether memory for bytes under way is used again
    /// @param handOver the socket at which the next process takes over; empty for none
    /// @param aggregateBytes bodies of up to so many bytes are collected before they are passed on
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
