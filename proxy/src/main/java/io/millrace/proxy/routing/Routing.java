package io.millrace.proxy.routing;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.PathReading;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The routes of a listener as a handler. Immutable, and called by any number of threads; a new configuration is
/// another one.
///
/// Of the routes whose conditions all hold, the most specific one handles the request. The first
/// difference in this list decides:
///
/// 1. **host**: a named one, then `*.a.example.org`, then `*.example.org`, then any;
/// 2. **path**: a literal one; then patterns and prefixes, from left to right: a literal segment, a parameter, the
///    rest of a path, a prefix; then any path;
/// 3. **method**: a named one (for `HEAD` then also `GET`), then any;
/// 4. **headers**: more conditions before fewer;
/// 5. the order of the file.
///
/// If a condition of a more specific route does not hold, a less specific one handles the request. If
/// there is none, the response is 404.
///
/// Routes are compared with [Request#path], which is canonical, without the parameters of its segments
/// ([PathReading#strict]). A backend may read a path more loosely: if another route matches the loosest
/// reading ([PathReading#loose]), the request has to pass its gate, too. A path that leads upwards in that
/// reading gets 400.
///
/// Finding a route allocates only in [Request#header], for the Host field and for conditions on fields; a
/// route with only a plain path needs no field.
public final class Routing implements HttpHandler {
    private static final Response UNKNOWN = Response.status(404);
    private static final Response UPWARDS = Response.status(400);

    private final Sites sites;

    private Routing(Sites sites) {
        this.sites = sites;
    }

    /// Routes without gates.
    ///
    /// @param upstreams makes a handler that forwards requests, once for each route
    public static Routing of(List<RouteSettings> routes, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        return of(routes, upstreams, _ -> next -> next);
    }

    /// Routes.
    ///
    /// @param upstreams makes a handler that forwards requests, once for each route
    /// @param gates wraps a route's handler in its gate and counters, once for each route
    public static Routing of(
            List<RouteSettings> routes,
            Function<ActionSettings.Forward, HttpHandler> upstreams,
            Function<RouteSettings, HttpFilter> gates) {
        var sites = new Sites.Builder();
        for (int i = 0; i < routes.size(); i++) {
            var settings = routes.get(i);
            sites.add(new RouteRule(settings, i, gates.apply(settings), Actions.handler(settings, upstreams)));
        }
        return new Routing(sites.build());
    }

    @Override
    public Response handle(Request request) throws Exception {
        var path = request.path();
        if (PathReading.isPlain(path)) return answer(sites.find(request, path), request);
        var loose = PathReading.loose(path);
        if (loose.isEmpty()) return UPWARDS;
        var rule = rule(request);
        var other = sites.find(request, loose.get());
        return rule == null || other == null
                ? answer(rule, request)
                : rule.behind(other).handle(request);
    }

    private static Response answer(@Nullable RouteRule rule, Request request) throws Exception {
        return rule == null ? UNKNOWN : rule.handler().handle(request);
    }

    private @Nullable RouteRule rule(Request request) {
        return sites.find(request, PathReading.strict(request.path()));
    }

    /// The name of the route that would handle a request, for tests and diagnosis.
    public Optional<String> routeOf(Request request) {
        var rule = rule(request);
        return rule == null ? Optional.empty() : Optional.of(rule.name());
    }
}
