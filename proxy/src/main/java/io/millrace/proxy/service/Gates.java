package io.millrace.proxy.service;

import io.millrace.http.HttpHandler;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.Access;
import io.millrace.proxy.BasicAuth;
import io.millrace.proxy.RateLimit;
import io.millrace.proxy.configuration.BasicAuthSettings;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.RateLimitSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.function.Predicate;

/// Who gets through to what is behind: asked for the address first, then for how often, then for a password.
final class Gates {
    private Gates() {}

    static HttpHandler around(GateSettings gate, HttpHandler handler) {
        var inner = handler;
        if (gate.basicAuth().isPresent()) inner = auth(gate.basicAuth().get()).applyTo(inner);
        if (gate.rateLimit().isPresent()) inner = rate(gate.rateLimit().get()).applyTo(inner);
        if (gate.access().isPresent())
            inner = Access.when(gate.access().get()::allows).applyTo(inner);
        return inner;
    }

    /// Who does not get through has his connection reset.
    static HandlerFactory before(GateSettings gate, HandlerFactory factory) {
        if (gate.access().isEmpty() && gate.rateLimit().isEmpty()) return factory;
        Predicate<InetAddress> access = address ->
                gate.access().map(settings -> settings.allows(address)).orElse(true);
        var rate = gate.rateLimit().map(Gates::rate);
        return connection -> {
            boolean mayPass = isFine(connection, access)
                    && isFine(connection, who -> rate.isEmpty() || rate.get().take(who));
            if (!mayPass) connection.abort();
            return mayPass ? factory.open(connection) : _ -> {};
        };
    }

    private static boolean isFine(Connection connection, Predicate<InetAddress> isFine) {
        return !(connection.remote() instanceof InetSocketAddress from) || isFine.test(from.getAddress());
    }

    private static RateLimit rate(RateLimitSettings settings) {
        var rate = RateLimit.of(settings.requests(), settings.per(), settings.burst())
                .keys(settings.keys());
        return switch (settings.by()) {
            case ADDRESS -> rate;
            case HEADER -> rate.byHeader(settings.header());
            case ALL -> rate.together();
        };
    }

    private static BasicAuth auth(BasicAuthSettings settings) {
        var users = new HashMap<String, Predicate<char[]>>();
        settings.users().forEach((name, hash) -> users.put(name, hash::matches));
        return BasicAuth.of(settings.realm(), users);
    }
}
