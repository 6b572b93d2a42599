package io.millrace.http;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The routes of one pattern, one per method. Immutable.
final class MethodRoutes {
    static final MethodRoutes NONE = new MethodRoutes(Map.of());

    private final Map<String, Route> routes;

    private MethodRoutes(Map<String, Route> routes) {
        this.routes = routes;
    }

    /// @throws IllegalArgumentException when there is a route for its method already
    MethodRoutes with(Route route) {
        var more = new HashMap<>(routes);
        var known = more.put(route.method(), route);
        if (known == null) return new MethodRoutes(Map.copyOf(more));
        throw new IllegalArgumentException("there is a handler for " + known + " already, so none is possible for "
                + route + ": leave one of them out");
    }

    boolean isEmpty() {
        return routes.isEmpty();
    }

    /// The route for a method; GET's route also serves HEAD (RFC 9110 section 9.3.2).
    @Nullable
    Route find(String method) {
        var route = routes.get(method);
        if (route == null && method.equals("HEAD")) route = routes.get("GET");
        return route != null ? route : routes.get(Route.ANY);
    }

    void addMethods(Set<String> to) {
        to.addAll(routes.keySet());
    }
}
