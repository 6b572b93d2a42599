package io.millrace.proxy.service;

import io.millrace.EventLoops;
import io.millrace.http.Cookies;
import io.millrace.http.Request;
import io.millrace.http.filter.Networks;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.Keys;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.TcpUpstream;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.EndpointsSettings;
import io.millrace.proxy.configuration.ForwardingSettings;
import io.millrace.proxy.configuration.ForwardingSettings.Fields;
import io.millrace.proxy.configuration.UpstreamSettings;
import io.millrace.proxy.configuration.UpstreamSettings.HashKey;
import io.millrace.proxy.configuration.UpstreamSettings.HostPolicy;
import io.millrace.proxy.upstream.DnsSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// The upstreams of a configuration, by name. One of the same name stays itself when the next configuration comes,
/// with its backends by address, their health, ejections, counters and connections; what else is said of it
/// changes.
final class Upstreams {
    /// All that is said of one.
    private record Settings(UpstreamSettings own, ForwardingSettings forwarding, long collectedBytes) {}

    /// @param layer4 for listeners of layer 4; nobody else uses it
    private record Named(Settings settings, Upstream upstream, TcpUpstream layer4) {
        Named with(Settings wanted) {
            return new Named(wanted, upstream, layer4);
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
        configuration.upstreams().forEach((name, settings) -> {
            var wanted = new Settings(
                    settings,
                    configuration.forwarding(),
                    configuration.runtime().aggregateBytes());
            var known = all.get(name);
            next.put(name, known != null ? known.with(wanted) : made(wanted, shared, own));
        });
        return new Upstreams(next);
    }

    private static Named made(Settings wanted, EventLoops shared, EventLoops own) {
        return new Named(wanted, layer7(wanted, shared, own), layer4(wanted, shared, own));
    }

    /// What they are from now on: those that were there before are what these say, and those that these do not
    /// have end.
    void take(Upstreams before, EventLoops shared, EventLoops own) {
        all.forEach((name, one) -> {
            var known = before.all.get(name);
            if (known == null || known.settings.equals(one.settings)) return;
            boolean hasNewSource = !known.settings.own.endpoints().equals(one.settings.own.endpoints());
            var wanted = made(one.settings, shared, own);
            one.upstream.become(wanted.upstream, hasNewSource);
            one.layer4.become(wanted.layer4, hasNewSource);
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

    private static Upstream layer7(Settings settings, EventLoops shared, EventLoops own) {
        var from = settings.own;
        var timeouts = from.timeouts();
        var upstream = Upstream.of(source(from.endpoints()))
                .name(from.name())
                .balance(from.balance())
                .key(key(from.hash()))
                .health(from.health())
                .limits(from.limits())
                .forwarding(Forwardings.of(settings.forwarding, from.host()))
                .connectTimeout(timeouts.connect())
                .pendingTimeout(timeouts.pending())
                .firstByteTimeout(timeouts.firstByte())
                .idleTimeout(timeouts.idle())
                .limits(from.responses().idleTimeout(timeouts.keepalive()))
                .timeout(timeouts.request())
                .retries(from.retries())
                .collect(settings.collectedBytes)
                .checkLoops(own);
        var secured = from.tls()
                .map(tls -> upstream.tls(tls.client().speaking("http/1.1")))
                .orElse(upstream);
        var announced = from.proxyOut() > 0 ? secured.sendProxyProtocol(version(from)) : secured;
        return switch (from.loops()) {
            case SAME -> announced;
            case SHARED -> announced.upstreamLoops(shared);
            case OWN -> announced.upstreamLoops(own);
        };
    }

    private static TcpUpstream layer4(Settings settings, EventLoops shared, EventLoops own) {
        var from = settings.own;
        var upstream = TcpUpstream.of(source(from.endpoints()))
                .name(from.name())
                .balance(from.balance())
                .health(from.health())
                .limits(from.limits())
                .connectTimeout(from.timeouts().connect())
                .idleTimeout(from.timeouts().idle())
                .attempts(from.retries().attempts())
                .checkLoops(own);
        var secured = from.tls().map(tls -> upstream.tls(tls.client())).orElse(upstream);
        var announced = from.proxyOut() > 0 ? secured.sendProxyProtocol(version(from)) : secured;
        return switch (from.loops()) {
            case SAME -> announced;
            case SHARED -> announced.upstreamLoops(shared);
            case OWN -> announced.upstreamLoops(own);
        };
    }

    private static Version version(UpstreamSettings from) {
        return from.proxyOut() == 1 ? Version.V1 : Version.V2;
    }

    private static EndpointSource source(EndpointsSettings settings) {
        return switch (settings) {
            case EndpointsSettings.Listed listed -> EndpointSource.of(listed.endpoints());
            case EndpointsSettings.WatchedFile watched -> EndpointSource.file(watched.file());
            case EndpointsSettings.Resolved named -> source(named).keeping(named.minTtl(), named.maxTtl());
        };
    }

    private static DnsSource source(EndpointsSettings.Resolved named) {
        return switch (named.type()) {
            case SRV -> DnsSource.services(named.name(), named.servers());
            case ADDRESS -> DnsSource.addresses(named.name(), named.port(), named.servers());
        };
    }

    private static ToLongFunction<Request> key(HashKey from) {
        return switch (from.by()) {
            case SOURCE -> Keys::ofClient;
            case HEADER -> request -> of(Keys.field(request, from.name()), request);
            case COOKIE -> request -> of(Cookies.of(request).value(from.name()), request);
        };
    }

    private static long of(Optional<String> text, Request request) {
        return text.isPresent() ? Keys.of(text.get()) : Keys.ofClient(request);
    }

    /// The rules of forwarding that a configuration says.
    static final class Forwardings {
        private Forwardings() {}

        static Forwarding of(ForwardingSettings settings, HostPolicy host) {
            var rules = Forwarding.standard()
                    .forwardedHeaders(
                            settings.fields().contains(Fields.X_FORWARDED),
                            settings.fields().contains(Fields.FORWARDED));
            rules = settings.via().isEmpty() ? rules.withoutVia() : rules.via(settings.via());
            rules = switch (settings.tracing()) {
                case PASS -> rules;
                case START -> rules.tracing();
                case OFF -> rules.untraced();
            };
            rules = switch (settings.policy()) {
                case SET -> rules;
                case APPEND -> rules.trusting(Networks.ALL);
                case TRUST -> rules.trusting(Networks.of(settings.trusted()));
            };
            return switch (host) {
                case HostPolicy.Keep _ -> rules;
                case HostPolicy.BackendAddress _ -> rules.ownHost();
                case HostPolicy.Rewrite rewrite -> rules.host(rewrite.host());
            };
        }
    }
}
