package io.millrace.proxy.service;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.Access;
import io.millrace.proxy.BasicAuth;
import io.millrace.proxy.Networks;
import io.millrace.proxy.RateLimit;
import io.millrace.proxy.configuration.AccessSettings;
import io.millrace.proxy.configuration.BasicAuthSettings;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.RateLimitSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.function.Predicate;

/// Who gets through to what is behind: asked for the address first, then for how often, then for a password.
final class Gates {
    private static final HttpFilter OPEN = new HttpFilter() {
        @Override
        public HttpHandler around(HttpHandler next) {
            return next;
        }

        @Override
        public HttpHandler applyTo(HttpHandler handler) {
            return handler;
        }
    };

    private Gates() {}

    /// In front of requests. What a gate remembers is in it, whatever it stands in front of.
    static HttpFilter of(GateSettings gate) {
        if (gate.equals(GateSettings.OPEN)) return OPEN;
        var filters = new ArrayList<HttpFilter>();
        gate.basicAuth().map(Gates::auth).ifPresent(filters::add);
        gate.rateLimit().map(Gates::rate).ifPresent(filters::add);
        gate.access().map(Gates::access).ifPresent(filters::add);
        return next -> {
            var inner = next;
            for (var filter : filters) inner = filter.applyTo(inner);
            return inner;
        };
    }

    /// In front of connections. Who does not get through has his connection reset.
    static HandlerFactory before(GateSettings gate, HandlerFactory factory) {
        if (gate.access().isEmpty() && gate.rateLimit().isEmpty()) return factory;
        var access = gate.access().map(Gates::access);
        var rate = gate.rateLimit().map(Gates::rate);
        return connection -> {
            var client = connection.remote();
            boolean mayPass = (access.isEmpty() || access.get().allows(client))
                    && (rate.isEmpty() || rate.get().take(client));
            if (!mayPass) connection.abort();
            return mayPass ? factory.open(connection) : _ -> {};
        };
    }

    private static Access access(AccessSettings settings) {
        var others = Access.except(Networks.of(settings.deny()));
        return settings.allow().isEmpty()
                ? others
                : Access.only(Networks.of(settings.allow())).and(others);
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
