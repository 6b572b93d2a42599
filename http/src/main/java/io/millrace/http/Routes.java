package io.millrace.http;

import io.millrace.http.grammar.PathPattern;
import io.millrace.http.grammar.Syntax;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A handler that asks others, by method and path. Immutable, and used by any number of threads: each method
/// returns a copy with one more.
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
/// In a pattern `{id}` stands for one whole segment, which is not empty, and at the end `{name...}` for the rest
/// of the path, slashes and all, which may be. A handler with two arguments gets them decoded as
/// [PathParameters]; a literal route is found without allocating. The rest of a pattern is compared with
/// [Request#path], which is canonical, with all its slashes: `/rooms` is not `/rooms/`.
///
/// Of several routes for a path and its method the most special answers, whatever their order: from left to right
/// a literal segment wins over a parameter, and both over the rest of a path or a prefix; a route for the method
/// wins over one for any.
///
/// What is not in any route is answered here: another method of a known path with 405, `OPTIONS` of it with 204,
/// both with `Allow`; a parameter that is not UTF-8 with 400; an unknown path with 404, or what [#otherwise]
/// says. `HEAD` is served by the route of GET.
///
/// A pattern that no path could match, and a second route for the same paths and method, is refused at once with
/// an [IllegalArgumentException].
public final class Routes implements HttpHandler {
    private static final Routes NONE = new Routes(Map.of(), RouteTree.EMPTY, Optional.empty());
    private static final HttpHandler UNKNOWN = _ -> Response.status(404);

    /// By their only path.
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

    // They throw IllegalArgumentException for a method or a pattern that is none, and for a route that there is.

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

    /// One method, whatever it is.
    public Routes route(String method, String pattern, HttpHandler handler) {
        return route(method, pattern, withoutPath(handler));
    }

    /// One method, whatever it is.
    public Routes route(String method, String pattern, RouteHandler handler) {
        return with(new Route(Syntax.checkMethod(method), PathPattern.of(pattern), handler));
    }

    /// A path and everything below it, for any method that has no route there: `/static`, `/static/` and
    /// `/static/a/b`, but not `/statics`. The handler gets the request as it is, with the whole path.
    ///
    /// @throws IllegalArgumentException for a path that is none, and for a prefix that there is
    public Routes prefix(String path, HttpHandler handler) {
        return with(new Route(Route.ANY, PathPattern.below(path), withoutPath(handler)));
    }

    /// Others below a path, which see what follows it: with `mount("/api", rooms)` a request for `/api/rooms/7`
    /// is one for `/rooms/7` there, and one for `/api` or `/api/` is one for `/`. All else of the request is as
    /// it was, its connection and its body too. The path may have parameters (`/teams/{team}`), which those
    /// below get with their own.
    ///
    /// What they send back goes as it is: a `Location` begins with [#mountedAt]. They answer every path
    /// below, with 404, too, unless there is a more special route here; filters around them are called for
    /// nothing else.
    ///
    /// @param others [Routes], with filters or without, or any handler
    /// @throws IllegalArgumentException for a path that is none, and for a prefix that there is
    public Routes mount(String path, HttpHandler others) {
        var pattern = PathPattern.mount(path);
        return with(new Route(Route.ANY, pattern, Mount.around(pattern, others)));
    }

    /// The path in front of that of a request, where the routes that have it are mounted:
    /// `/teams/7`, or nothing.
    public static String mountedAt(Request request) {
        return Mount.of(request).path();
    }

    /// Every path that no route is for.
    ///
    /// @throws IllegalArgumentException when there is one already
    public Routes otherwise(HttpHandler handler) {
        if (otherwise.isPresent()) {
            throw new IllegalArgumentException("there is a handler for unknown paths already: leave one of them out");
        }
        return new Routes(literals, patterns, Optional.of(handler));
    }

    /// Filters around everything that is answered here, 404 and 405 too; the first of them sees requests first.
    /// It comes last. For some routes only, let them be [Routes] of their own, with a [#mount].
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

    // Asked for an answer.

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

    /// Those that are answered; none when the path is unknown.
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
