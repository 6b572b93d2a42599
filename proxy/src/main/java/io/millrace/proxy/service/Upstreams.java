package io.millrace.proxy.service;

import io.millrace.EventLoops;
import io.millrace.proxy.TcpUpstream;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.UpstreamSettings;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The upstreams of a configuration, by name. One of the same name stays itself when the next configuration comes,
/// with its backends by address, their health, ejections, counters and connections; what else is said of it
/// changes.
final class Upstreams {
    /// @param layer4 for listeners of layer 4; nobody else uses it
    private record Named(UpstreamSettings settings, Upstream upstream, TcpUpstream layer4) {
        static Named of(UpstreamSettings settings) {
            return new Named(settings, Upstream.of(forRequests(settings)), TcpUpstream.of(settings));
        }

        Named with(UpstreamSettings wanted) {
            return new Named(wanted, upstream, layer4);
        }

        void become() {
            upstream.become(forRequests(settings));
            layer4.become(settings);
        }

        private static UpstreamSettings forRequests(UpstreamSettings settings) {
            return settings.tls()
                    .map(tls -> settings.tls(tls.speaking("http/1.1")))
                    .orElse(settings);
        }
    }

    private final Map<String, Named> all;

    private Upstreams(Map<String, Named> all) {
        this.all = all;
    }

    static Upstreams none() {
        return new Upstreams(Map.of());
    }

    /// Those of the next configuration; these serve on as they are until [#take].
    Upstreams next(Configuration configuration, EventLoops shared, EventLoops own) {
        var next = new LinkedHashMap<String, Named>();
        configuration.upstreams().forEach((name, upstream) -> {
            var wanted = settings(upstream, configuration, shared, own);
            var known = all.get(name);
            next.put(name, known != null ? known.with(wanted) : Named.of(wanted));
        });
        return new Upstreams(next);
    }

    private static UpstreamSettings settings(
            ConfiguredUpstream upstream, Configuration all, EventLoops shared, EventLoops own) {
        var settings = upstream.settings()
                .forwarding(all.forwarding().rules())
                .collectBytes(all.runtime().aggregateBytes())
                .checkLoops(own);
        return switch (upstream.loops()) {
            case SAME -> settings;
            case SHARED -> settings.upstreamLoops(shared);
            case OWN -> settings.upstreamLoops(own);
        };
    }

    /// What they are from now on: those that were there before are what these say, and those that these do not
    /// have end.
    void take(Upstreams before) {
        all.forEach((name, one) -> {
            var known = before.all.get(name);
            if (known != null && !known.settings.equals(one.settings)) one.become();
        });
        before.retire(this);
    }

    /// For requests. It begins to follow its list.
    Upstream get(String name) {
        return named(name).upstream.start();
    }

    /// For connections; as [#get].
    TcpUpstream tcp(String name) {
        return named(name).layer4.start();
    }

    /// Waits until those that somebody has asked for know their backends, so that nobody meets an upstream that
    /// still has to ask DNS. All together at most so long; those that know nothing by then serve when they do.
    void awaitLists(Duration most) {
        long endNanos = System.nanoTime() + most.toNanos();
        try {
            for (var one : all.entrySet()) {
                boolean isKnown = one.getValue().upstream.awaitBackends(until(endNanos))
                        && one.getValue().layer4.awaitBackends(until(endNanos));
                if (isKnown) continue;
                ProxyGuards.UPSTREAM_LIST.acted(
                        one.getKey(), "its backends are not known after " + most.toSeconds() + " s");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static Duration until(long endNanos) {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }

    private Named named(String name) {
        var found = all.get(name);
        if (found == null) throw new IllegalArgumentException("there is no upstream '" + name + "'");
        return found;
    }

    Map<String, Upstream> all() {
        var named = new LinkedHashMap<String, Upstream>();
        all.forEach((name, one) -> named.put(name, one.upstream));
        return named;
    }

    /// Those of them that listeners of layer 4 have asked for.
    List<TcpUpstream> layer4() {
        return all.values().stream()
                .map(Named::layer4)
                .filter(TcpUpstream::isRunning)
                .toList();
    }

    /// Those that the next ones do not have: no more checks; what is under way ends by itself.
    void retire(Upstreams next) {
        all.forEach((name, one) -> {
            var known = next.all.get(name);
            if (known != null && known.upstream.equals(one.upstream)) return;
            one.upstream.retire();
            one.layer4.close();
        });
    }

    void close() {
        for (var one : all.values()) {
            one.upstream.close();
            one.layer4.close();
        }
    }
}
