package io.millrace.proxy.service;

import io.millrace.http.HttpFilter;
import io.millrace.http.filter.Access;
import io.millrace.http.filter.BasicAuth;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RateLimit;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.GateSettings.AccessSettings;
import io.millrace.proxy.configuration.GateSettings.BasicAuthSettings;
import io.millrace.proxy.configuration.GateSettings.WebSocketsSettings;
import io.millrace.proxy.websocket.SocketLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/// The gates of listeners and routes: first by address, then by rate, then by password.
///
/// The state of a rate limit, a limit of WebSockets or a password check is kept if the next configuration has the same
/// settings
/// for the same listener or route.
final class Gates {
    private static final HttpFilter OPEN = next -> next;

    /// Filters with state, by their place and settings.
    private record Part(List<String> where, Object settings) {}

    private final Map<Part, Object> before;
    private final Map<Part, Object> parts = new HashMap<>();

    private Gates(Map<Part, Object> before) {
        this.before = before;
    }

    static Gates none() {
        return new Gates(Map.of());
    }

    /// The gates of the next configuration.
    Gates next() {
        return new Gates(parts);
    }

    /// A gate for requests. Its state is in it, for any handler.
    ///
    /// @param where the name of the listener or route
    HttpFilter of(List<String> where, GateSettings gate) {
        if (gate.equals(GateSettings.OPEN)) return OPEN;
        var filters = new ArrayList<HttpFilter>();
        gate.webSockets()
                .map(most -> part(where, most, settings -> limit(where, settings)))
                .map(Gates::limiting)
                .ifPresent(filters::add);
        gate.basicAuth().map(auth -> part(where, auth, Gates::auth)).ifPresent(filters::add);
        gate.rateLimit().map(rate -> part(where, rate, Gates::rate)).ifPresent(filters::add);
        gate.access().map(Gates::access).ifPresent(filters::add);
        return next -> {
            var inner = next;
            for (var filter : filters) inner = filter.around(inner);
            return inner;
        };
    }

    /// A gate for connections. It resets those that do not get through.
    HandlerFactory before(List<String> where, GateSettings gate, HandlerFactory factory) {
        if (gate.access().isEmpty() && gate.rateLimit().isEmpty()) return factory;
        var access = gate.access().map(Gates::access);
        var rate = gate.rateLimit().map(settings -> part(where, settings, Gates::rate));
        return connection -> {
            var client = connection.remote();
            boolean mayPass = (access.isEmpty() || access.get().allows(client))
                    && (rate.isEmpty() || rate.get().take(client));
            if (!mayPass) connection.abort();
            return mayPass ? factory.open(connection) : _ -> {};
        };
    }

    @SuppressWarnings("unchecked") // made of settings of this type
    private <S, T> T part(List<String> where, S settings, Function<S, T> make) {
        var part = new Part(where, settings);
        var known = before.get(part);
        var made = known != null ? (T) known : make.apply(settings);
        parts.put(part, made);
        return made;
    }

    private static Access access(AccessSettings settings) {
        var others = Access.except(Networks.of(settings.deny()));
        return settings.allow().isEmpty()
                ? others
                : Access.only(Networks.of(settings.allow())).and(others);
    }

    /// One of its own for each place: a route may stand behind several listeners.
    private static RateLimit rate(RateLimit like) {
        var rate = RateLimit.of(like.requests(), like.per(), like.burst()).keys(like.keys());
        if (like.isTogether()) return rate.together();
        return like.header().map(rate::byHeader).orElse(rate);
    }

    private static SocketLimit limit(List<String> where, WebSocketsSettings settings) {
        return new SocketLimit(String.join(", ", where), settings.max(), settings.maxPerAddress());
    }

    /// Who opens a tunnel for a request takes its place.
    private static HttpFilter limiting(SocketLimit limit) {
        return next -> request -> {
            var received = ReceivedRequest.behind(request);
            if (received != null) received.limitsTunnels(limit);
            return next.handle(request);
        };
    }

    private static BasicAuth auth(BasicAuthSettings settings) {
        var users = new HashMap<String, Predicate<char[]>>();
        settings.users().forEach((name, hash) -> users.put(name, hash::matches));
        return BasicAuth.of(settings.realm(), users);
    }
}
