package io.millrace.http;

import io.millrace.http.grammar.PathPattern;
import io.millrace.http.grammar.Syntax;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A handler that dispatches to others by method and path. Immutable, and used by any number of threads: each
/// method returns a copy with one more route.
///
/// ```java
/// HttpHandler app = Routes.of()
///         .get("/", home)
///         .get("/rooms/{id}", (request, path) -> room(path.number("id")))
///         .post("/rooms", request -> create(Form.of(request)))
///         .put("/files/{name...}", this::upload)
///         .mount("/admin", admin.filter(login))
///         .filter(log);
/// ```
/// In a pattern `{id}` stands for one whole segment, which is not empty, and `{name...}` at the end for the rest
/// of the path, with its slashes; it may be empty. A handler with two arguments gets these values, decoded, as
/// [PathParameters]; a literal route is found without allocating. Patterns match [Request#path], which is
/// canonical, with all its slashes: `/rooms` is not `/rooms/`.
///
/// If several routes match a path and a method, the most specific answers, whatever their order: from left to
/// right a literal segment wins over a parameter, and both over the rest of a path or a prefix; a route for the
/// method wins over one for any method.
///
/// Requests without a route are answered here: another method of a known path with 405, `OPTIONS` of it with 204,
/// both with `Allow`; a parameter that is not UTF-8 with 400; an unknown path with 404, or by the handler of
/// [#otherwise]. `HEAD` is served by GET's route.
///
/// A pattern that no path can match, and a second route for the same paths and method, throw an
/// [IllegalArgumentException] at once.
public final class Routes implements HttpHandler {
    private static final Routes NONE = new Routes(Map.of(), RouteTree.EMPTY, Optional.empty());
    private static final HttpHandler UNKNOWN = _ -> Response.status(404);

    /// By literal path.
    private final Map<String, MethodRoutes> literals;

    private final RouteTree patterns;
    private final Optional<HttpHandler> otherwise;

    private Routes(Map<String, MethodRoutes> literals, RouteTree patterns, Optional<HttpHandler> otherwise) {
        this.literals = literals;
        this.patterns = patterns;
        this.otherwise = otherwise;
    }

    /// No routes yet.
    public static Routes of() {
        return NONE;
    }

    // They throw IllegalArgumentException for an invalid method or pattern, and for a second route.

    public Routes get(String pattern, HttpHandler handler) {
        return route("GET", pattern, handler);
    }

    public Routes get(String pattern, RouteHandler handler) {
        return route("GET", pattern, handler);
    }

    public Routes post(String pattern, HttpHandler handler) {
        return route("POST", pattern, handler);
    }

    public Routes post(String pattern, RouteHandler handler) {
        return route("POST", pattern, handler);
    }

    public Routes put(String pattern, HttpHandler handler) {
        return route("PUT", pattern, handler);
    }

    public Routes put(String pattern, RouteHandler handler) {
        return route("PUT", pattern, handler);
    }

    public Routes patch(String pattern, HttpHandler handler) {
        return route("PATCH", pattern, handler);
    }

    public Routes patch(String pattern, RouteHandler handler) {
        return route("PATCH", pattern, handler);
    }

    public Routes delete(String pattern, HttpHandler handler) {
        return route("DELETE", pattern, handler);
    }

    public Routes delete(String pattern, RouteHandler handler) {
        return route("DELETE", pattern, handler);
    }

    /// Any method that has no route of its own.
    public Routes any(String pattern, HttpHandler handler) {
        return any(pattern, withoutPath(handler));
    }

    /// Any method that has no route of its own.
    public Routes any(String pattern, RouteHandler handler) {
        return with(new Route(Route.ANY, PathPattern.of(pattern), handler));
    }

    /// One method, given by name.
    public Routes route(String method, String pattern, HttpHandler handler) {
        return route(method, pattern, withoutPath(handler));
    }

    /// One method, given by name.
    public Routes route(String method, String pattern, RouteHandler handler) {
        return with(new Route(Syntax.checkMethod(method), PathPattern.of(pattern), handler));
    }

    /// A path and everything below it, for any method without a route there: `/static`, `/static/` and
    /// `/static/a/b`, but not `/statics`. The handler gets the request unchanged, with the whole path.
    ///
    /// @throws IllegalArgumentException for an invalid path, and for a second prefix
    public Routes prefix(String path, HttpHandler handler) {
        return with(new Route(Route.ANY, PathPattern.below(path), withoutPath(handler)));
    }

    /// Mounts a handler below a path; it sees only the rest of the path: with `mount("/api", rooms)` a request
    /// for `/api/rooms/7` becomes one for `/rooms/7`, and one for `/api` or `/api/` becomes one for `/`.
    /// Everything else of the request is the same, its connection and its body too. The path may have parameters
    /// (`/teams/{team}`), which the handlers below get with their own.
    ///
    /// Responses are passed on unchanged: a `Location` begins with [#mountedAt]. The handler answers every path
    /// below, also with 404, unless there is a more specific route here; its filters are called for nothing else.
    ///
    /// @param others [Routes], with filters or without, or any handler
    /// @throws IllegalArgumentException for an invalid path, and for a second prefix
    public Routes mount(String path, HttpHandler others) {
        var pattern = PathPattern.mount(path);
        return with(new Route(Route.ANY, pattern, Mount.around(pattern, others)));
    }

    /// The path where the routes that handle this request are mounted: `/teams/7`, or nothing.
    public static String mountedAt(Request request) {
        return Mount.of(request).path();
    }

    /// Handles every path without a route.
    ///
    /// @throws IllegalArgumentException if there is such a handler already
    public Routes otherwise(HttpHandler handler) {
        if (otherwise.isPresent()) {
            throw new IllegalArgumentException("there is a handler for unknown paths already: leave one of them out");
        }
        return new Routes(literals, patterns, Optional.of(handler));
    }

    /// Filters around everything that is answered here, 404 and 405 too; the first filter sees requests first.
    /// This is the last call. For filters around some routes, make these [Routes] of their own and [#mount] them.
    public HttpHandler filter(HttpFilter... filters) {
        HttpHandler filtered = this;
        for (int i = filters.length - 1; i >= 0; i--) filtered = filters[i].around(filtered);
        return filtered;
    }

    private Routes with(Route route) {
        var pattern = route.pattern();
        if (!pattern.isLiteral()) return new Routes(literals, patterns.with(route), otherwise);
        var more = new HashMap<>(literals);
        more.put(
                pattern.text(),
                literals.getOrDefault(pattern.text(), MethodRoutes.NONE).with(route));
        return new Routes(more, patterns, otherwise);
    }

    private static RouteHandler withoutPath(HttpHandler handler) {
        return (request, _) -> handler.handle(request);
    }

    // Answering.

    @Override
    public Response handle(Request request) throws Exception {
        var route = find(request);
        return route == null ? withoutRoute(request) : route.handle(request);
    }

    private @Nullable Route find(Request request) {
        var literal = literals.get(request.path());
        var route = literal == null ? null : literal.find(request.method());
        if (route != null || isWholeServer(request)) return route;
        for (var routes : patterns.matching(request.path())) {
            route = routes.find(request.method());
            if (route != null) return route;
        }
        return null;
    }

    private Response withoutRoute(Request request) throws Exception {
        var mount = Mount.of(request);
        request.matched(new RouteMatch(mount.template(), mount.parameters()));
        if (isUnknown(request)) return unknown().handle(request);
        boolean isQuestion = request.method().equals("OPTIONS");
        var response = Response.status(isQuestion ? 204 : 405);
        return isWholeServer(request)
                ? response
                : response.setHeader("Allow", String.join(", ", methods(request.path())));
    }

    private HttpHandler unknown() {
        return otherwise.orElse(UNKNOWN);
    }

    private boolean isUnknown(Request request) {
        return isWholeServer(request)
                ? !request.method().equals("OPTIONS")
                : methods(request.path()).isEmpty();
    }

    /// Its path is `*`.
    private static boolean isWholeServer(Request request) {
        return !request.path().startsWith("/");
    }

    /// The methods of a path; none if the path is unknown.
    private Set<String> methods(String path) {
        var methods = new TreeSet<String>();
        var literal = literals.get(path);
        if (literal != null) literal.addMethods(methods);
        for (var routes : patterns.matching(path)) routes.addMethods(methods);
        if (methods.isEmpty()) return methods;
        if (methods.contains("GET")) methods.add("HEAD");
        methods.add("OPTIONS");
        return methods;
    }
}
