package io.millrace.proxy.configuration.file;

import io.millrace.http.acme.AcmeSettings.Challenge;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import io.millrace.proxy.configuration.Configuration.ForwardingRules;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// The whole file: reading, the schema and the reference begin here.
final class ProxyKeys {
    private static final Key<SequencedMap<String, ListenerSettings>> LISTENERS =
            Key.required("listeners", ListenerKeys.NAMED, "Where connections are accepted. You choose the names.");
    private static final Key<SequencedMap<String, RouteSettings>> ROUTES = Key.optional(
            "routes", RouteKeys.NAMED, "What to do with requests. You choose the names. Needed for layer 7.");
    private static final Key<SequencedMap<String, ConfiguredUpstream>> UPSTREAMS = Key.optional(
            "upstreams", UpstreamKeys.NAMED, "Groups of servers that share the work. You choose the names.");
    private static final Key<ForwardingRules> FORWARDING = Key.standard(
            "forwarding",
            OperationKeys.FORWARDING,
            ForwardingRules.STANDARD,
            "What a forwarded request says about its way here.");
    private static final Key<Duration> DRAIN = Key.standard(
            "drain-timeout",
            Words.duration(Duration.ZERO, Duration.ofDays(1)),
            Configuration.STANDARD_DRAIN,
            "How long requests in progress may take to end when the proxy stops.");

    static final Section<Configuration> SECTION = Section.of(
                    "file",
                    "The whole file.",
                    ProxyKeys::configuration,
                    Includes.KEY,
                    LISTENERS,
                    ROUTES,
                    UPSTREAMS,
                    FORWARDING,
                    LogKeys.KEY,
                    OperationKeys.ADMIN,
                    OperationKeys.RUNTIME,
                    DRAIN)
            .was("drain", "drain-timeout");

    private ProxyKeys() {}

    private static Configuration configuration(Values values) {
        var listeners = values.of(LISTENERS);
        var configuration = new Configuration(
                listeners,
                values.optional(ROUTES).orElse(none()),
                values.optional(UPSTREAMS).orElse(none()),
                values.of(FORWARDING),
                values.optional(LogKeys.KEY),
                values.optional(OperationKeys.ADMIN),
                values.of(OperationKeys.RUNTIME),
                values.of(DRAIN));
        if (listeners.isEmpty()) throw values.refused(LISTENERS, "it is empty: add a listener");
        checkRoutes(configuration, values);
        checkLayer4(configuration, values);
        checkAcme(configuration, values);
        return configuration;
    }

    private static void checkAcme(Configuration configuration, Values values) {
        var files = new HashSet<Path>();
        for (var one : configuration.acme())
            if (!files.add(one.file()))
                throw values.refused(
                        LISTENERS,
                        "two certificates of acme would be the file " + one.file()
                                + ": give them the same settings, another first name or another storage");
        boolean asksOverHttp = configuration.acme().stream().anyMatch(one -> one.challenge() == Challenge.HTTP_01);
        boolean hasPlain = configuration.listeners().values().stream()
                .anyMatch(one -> one.layer() == 7 && one.tls().isEmpty());
        if (!asksOverHttp || hasPlain) return;
        throw values.refused(
                LISTENERS,
                "the challenge http-01 is answered by a listener of layer 7 without tls, and there is none: add one"
                        + " for port 80, or take tls-alpn-01");
    }

    private static <T> SequencedMap<String, T> none() {
        return Collections.unmodifiableSequencedMap(new LinkedHashMap<>());
    }

    /// Connections have no cookies.
    private static void checkLayer4(Configuration configuration, Values values) {
        for (var listener : configuration.listeners().values()) {
            if (listener.layer() == 7) continue;
            var names = new ArrayList<>(listener.serverNames().values());
            listener.upstream().ifPresent(names::add);
            for (var name : names) {
                var upstream = configuration.upstreams().get(name);
                if (upstream == null || upstream.settings().sticky().isEmpty()) continue;
                throw values.refused(
                        LISTENERS,
                        "the listener " + listener.name() + " is of layer 4, where no request has a cookie, and its"
                                + " upstream " + name + " is sticky: use balance: hash, or another upstream");
            }
        }
    }

    private static void checkRoutes(Configuration configuration, Values values) {
        for (var route : configuration.routes().values()) {
            for (var name : route.listeners()) {
                var listener = configuration.listeners().get(name);
                if (listener == null || listener.layer() == 7) continue;
                throw values.refused(
                        ROUTES,
                        "the route " + route.name() + " names the listener " + name
                                + ", which is of layer 4 and has no requests: leave it out there");
            }
        }
        for (var listener : configuration.listeners().values()) {
            if (listener.layer() == 4
                    || !configuration.routesOf(listener.name()).isEmpty()) continue;
            throw values.refused(
                    LISTENERS,
                    "the listener " + listener.name()
                            + " has no route, so that every request would be answered with 404:"
                            + " add one below routes");
        }
    }
}
