package io.millrace.proxy.service;

import io.millrace.loop.Wording;
import io.millrace.proxy.admin.Watched.ServingCertificate;
import io.millrace.proxy.admin.Watched.ServingListener;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.admin.Watched.ServingRoute;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.Files;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.Forward;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.Redirect;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.Respond;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.Split;
import io.millrace.proxy.configuration.RouteSettings.HeaderMatch;
import io.millrace.proxy.configuration.RouteSettings.MatchSettings;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import io.millrace.tls.TlsIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A configuration as the admin page shows it.
final class Shown {
    private static final String LAYER_4 = "layer 4";

    private Shown() {}

    /// @param live its listeners, in its order
    static ServingProxy of(Configuration of, List<LiveListener> live, long number) {
        var listeners = new ArrayList<ServingListener>();
        var opened = live.iterator();
        for (var settings : of.listeners().values()) listeners.add(listener(settings, opened.next()));
        var routes = new ArrayList<ServingRoute>();
        for (var route : of.routes().values()) routes.add(route(route));
        for (var listener : of.listeners().values()) addConnections(listener, routes);
        var certificates = of.listeners().values().stream()
                .flatMap(one -> one.tls().stream()
                        .flatMap(tls -> tls.identities().stream())
                        .map(identity -> certificate(one.name(), identity)))
                .toList();
        return new ServingProxy(number, List.copyOf(listeners), List.copyOf(routes), certificates);
    }

    private static ServingListener listener(ListenerSettings settings, LiveListener live) {
        var announced = settings.proxyProtocol().isPresent() ? ", behind the PROXY protocol" : "";
        return new ServingListener(
                settings.name(),
                Wording.of(live.server().address()),
                (settings.layer() == 4 ? "TCP, layer 4" : "HTTP") + announced,
                tls(settings));
    }

    private static String tls(ListenerSettings settings) {
        if (settings.tls().isPresent()) return "ends here";
        if (settings.isPassingTls()) return "passes through";
        return settings.isSecure() ? "ended before" : "none";
    }

    private static ServingRoute route(RouteSettings route) {
        var match = route.match();
        return switch (route.action()) {
            case Forward to -> route(route, match, "forward", to.upstream());
            case Split to -> route(route, match, "split", shares(to));
            case Redirect to -> route(route, match, "redirect", to.status() + " to " + to.to());
            case Respond to -> route(route, match, "respond", "status " + to.status());
            case Files to -> route(route, match, "files", to.handler().root().toString());
        };
    }

    private static String shares(Split split) {
        return split.shares().stream()
                .map(share -> share.forward().upstream() + " " + share.weight())
                .collect(Collectors.joining(", "));
    }

    private static ServingRoute route(RouteSettings route, MatchSettings match, String action, String target) {
        return new ServingRoute(route.name(), route.listeners(), match.hosts(), words(match), action, target);
    }

    private static String words(MatchSettings match) {
        var path = switch (match.path()) {
            case PathMatch.Prefix prefix -> prefix.path().text() + " and below";
            case PathMatch.Pattern pattern -> pattern.pattern().text();
            case PathMatch.Any _ -> "any path";
        };
        var methods = match.methods().stream().sorted().collect(Collectors.joining(" or "));
        var fields = match.headers().stream().map(HeaderMatch::name).collect(Collectors.joining(", "));
        return (methods.isEmpty() ? "" : methods + " ") + path + (fields.isEmpty() ? "" : ", by " + fields);
    }

    /// Layer 4 has upstreams in place of routes.
    private static void addConnections(ListenerSettings listener, List<ServingRoute> to) {
        var here = List.of(listener.name());
        listener.serverNames()
                .forEach((name, upstream) -> to.add(
                        new ServingRoute(listener.name(), here, List.of(name), "connections", LAYER_4, upstream)));
        listener.upstream()
                .ifPresent(upstream ->
                        to.add(new ServingRoute(listener.name(), here, List.of(), "connections", LAYER_4, upstream)));
    }

    private static ServingCertificate certificate(String listener, TlsIdentity identity) {
        return new ServingCertificate(listener, subject(identity), identity.names(), identity.expires());
    }

    private static String subject(TlsIdentity identity) {
        return identity.chain().getFirst().getSubjectX500Principal().getName();
    }

    /// How much there is.
    static String size(Configuration of) {
        return Wording.count(of.listeners().size(), "listener") + ", "
                + Wording.count(of.routes().size(), "route") + " and "
                + Wording.count(of.upstreams().size(), "upstream");
    }

    /// The certificates that are new at listeners that were there before, in words.
    static List<String> renewed(Map<String, List<TlsIdentity>> before, Map<String, List<TlsIdentity>> after) {
        var told = new ArrayList<String>();
        after.forEach((listener, identities) -> {
            var known = before.getOrDefault(listener, identities);
            for (var one : identities) if (!known.contains(one)) told.add(renewed(listener, one, known));
        });
        return told;
    }

    private static String renewed(String listener, TlsIdentity now, List<TlsIdentity> before) {
        boolean isRenewed = before.stream().anyMatch(one -> subject(one).equals(subject(now)));
        return "listener " + listener + ": the certificate of " + subject(now) + (isRenewed ? " is renewed" : " is new")
                + ", and expires at " + now.expires();
    }
}
