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
/// Of the routes whose conditions all hold, the most special answers. What is compared first decides:
///
/// 1. **host**: one that is named, then `*.a.example.org`, then `*.example.org`, then any;
/// 2. **path**: a literal one; then patterns and prefixes, from left to right: a literal segment, a parameter, the
///    rest of a path, a prefix; then any path;
/// 3. **method**: one that is named (for `HEAD` then also `GET`), then any;
/// 4. **headers**: more conditions before fewer;
/// 5. the order of the file.
///
/// A route that is more special but for a condition that does not hold is out of the question, so that a less
/// special one answers. 404 when there is none.
///
/// Compared is [Request#path], which is canonical, without the parameters of its segments
/// ([PathReading#strict]). A backend may read more into a path: when another route is for the most generous
/// reading ([PathReading#loose]), its gate has to be passed, too, and what it refuses is refused. 400 for a
/// path that leads upwards in that reading.
///
/// Finding a route allocates nothing but what [Request#header] does for the Host field and conditions on others; a
/// route by a plain path alone asks for none.
public final class Routing implements HttpHandler {
    private static final Response UNKNOWN = Response.status(404);
    private static final Response UPWARDS = Response.status(400);

    private final Sites sites;

    private Routing(Sites sites) {
        this.sites = sites;
    }

    /// Routes without gates.
    ///
    /// @param upstreams a handler that passes requests on, asked once for each route
    /// @throws IllegalArgumentException when a folder of files is gone
    public static Routing of(List<RouteSettings> routes, Function<ActionSettings.Forward, HttpHandler> upstreams) {
        return of(routes, upstreams, _ -> next -> next);
    }

    /// Routes.
    ///
    /// @param upstreams a handler that passes requests on, asked once for each route
    /// @param gates what stands in front of a route: its gate, counters; asked once for each
    /// @throws IllegalArgumentException when a folder of files is gone
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

    /// The name of the route that would answer, for tests and for those who ask why.
    public Optional<String> routeOf(Request request) {
        var rule = rule(request);
        return rule == null ? Optional.empty() : Optional.of(rule.name());
    }
}
