package io.millrace.proxy.admin;

import io.millrace.http.filter.Traffic;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.upstream.Backends;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// What the page shows, fetched each time because it may change. Any thread.
public interface Watched {
    /// The counters of the listeners.
    Collection<Traffic> traffic();

    /// Event loops, whose names differ.
    List<LoopCounters> loops();

    List<WatchedUpstream> upstreams();

    /// An upstream.
    ///
    /// @param layer 4 or 7
    /// @param backends empty before its first request
    /// @param webSockets that are open
    record WatchedUpstream(String name, int layer, List<Backends> backends, long webSockets) {}

    /// What a configuration makes of the proxy. Immutable.
    ///
    /// @param number another one for each configuration in force
    record ServingProxy(
            long number,
            List<ServingListener> listeners,
            List<ServingRoute> routes,
            List<ServingCertificate> certificates) {
        public static final ServingProxy NOTHING = new ServingProxy(0, List.of(), List.of(), List.of());
    }

    /// A listener.
    ///
    /// @param protocol what clients speak, in words
    /// @param tls what becomes of TLS, in words
    record ServingListener(String name, String address, String protocol, String tls) {}

    /// A route, or what a listener of layer 4 has in its place.
    ///
    /// @param listeners its listeners; empty for all of layer 7
    /// @param hosts empty for any
    /// @param match path, methods and fields that it is for, in words
    /// @param action a word
    /// @param target the upstream, location, status or folder
    record ServingRoute(
            String name, List<String> listeners, List<String> hosts, String match, String action, String target) {
        /// Whether one of its texts has this one, in lower case.
        boolean has(String part) {
            return Stream.of(List.of(name, match, action, target), listeners, hosts)
                    .flatMap(List::stream)
                    .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(part));
        }
    }

    /// A certificate of a listener.
    ///
    /// @param subject whose it is
    /// @param names the host names that it is for
    record ServingCertificate(String listener, String subject, List<String> names, Instant expires) {}
}
