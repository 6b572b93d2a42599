package io.millrace.proxy.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
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
        SequencedMap<String, UpstreamSettings> upstreams,
        ForwardingSettings forwarding,
        Optional<AccessLogSettings> accessLog,
        Optional<AdminSettings> admin,
        RuntimeSettings runtime,
        Duration drain) {
    public static final Duration STANDARD_DRAIN = Duration.ofSeconds(30);

    /// Files that were read with it, of certificates and keys.
    public List<Path> files() {
        var ofListeners = listeners.values().stream().flatMap(one -> one.tls().stream());
        var ofUpstreams = upstreams.values().stream().flatMap(one -> one.tls().stream());
        return Stream.concat(
                        ofListeners.flatMap(tls -> tls.files().stream()),
                        ofUpstreams.flatMap(tls -> tls.files().stream()))
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
}
