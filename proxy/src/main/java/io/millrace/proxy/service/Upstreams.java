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

/// The upstreams of a configuration, by name. An upstream whose name is in the next configuration stays,
/// with its backends by address, their health, ejections, counters and connections; its settings change.
final class Upstreams {
    /// @param layer4 for layer 4 listeners only
    private record Named(UpstreamSettings settings, Upstream upstream, TcpUpstream layer4) {
        static Named of(UpstreamSettings settings) {
            return new Named(settings, Upstream.of(settings), TcpUpstream.of(settings));
        }

        /// Those in use stay. In place of one that nobody uses there is a new one, so that a refused configuration
        /// leaves nothing in it.
        Named with(UpstreamSettings wanted) {
            return new Named(
                    wanted,
                    upstream.isRunning() ? upstream : Upstream.of(wanted),
                    layer4.isRunning() ? layer4 : TcpUpstream.of(wanted));
        }

        void become() {
            upstream.become(settings);
            layer4.become(settings);
        }
    }

    private final Map<String, Named> all;

    private Upstreams(Map<String, Named> all) {
        this.all = all;
    }

    static Upstreams none() {
        return new Upstreams(Map.of());
    }

    /// The upstreams of the next configuration; these serve unchanged until [#take].
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

    /// Puts these into use: former upstreams take over these settings, or end if they are not among these.
    void take(Upstreams before) {
        all.forEach((name, one) -> {
            var known = before.all.get(name);
            if (known != null && !known.settings.equals(one.settings)) one.become();
        });
        before.retire(this);
    }

    /// The upstream for requests. It begins to follow its list.
    Upstream get(String name) {
        return named(name).upstream.start();
    }

    /// The upstream for connections; as [#get].
    TcpUpstream tcp(String name) {
        return named(name).layer4.start();
    }

    /// Waits until the upstreams in use know their backends, so that no request meets one that still has
    /// to ask DNS. Waits at most this long for all together; the others serve as soon as they have a list.
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

    /// The upstreams that layer 4 listeners use.
    List<TcpUpstream> layer4() {
        return all.values().stream()
                .map(Named::layer4)
                .filter(TcpUpstream::isRunning)
                .toList();
    }

    /// Ends the upstreams that others, which stay in use, do not have: no more checks; requests in progress
    /// end by themselves.
    void retire(Upstreams others) {
        all.forEach((name, one) -> {
            var known = others.all.get(name);
            if (known == null || !known.upstream.equals(one.upstream)) one.upstream.retire();
            if (known == null || !known.layer4.equals(one.layer4)) one.layer4.close();
        });
    }

    void close() {
        for (var one : all.values()) {
            one.upstream.close();
            one.layer4.close();
        }
    }
}
