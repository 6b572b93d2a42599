package io.millrace.http;

import io.millrace.http.grammar.PathPattern;

/// A handler for a method, or for any, and the paths of a pattern.
///
/// @param match if the route has no parameters, and is not mounted
record Route(String method, PathPattern pattern, RouteHandler handler, RouteMatch match) {
    /// No method is spelled like this.
    static final String ANY = "";

    Route(String method, PathPattern pattern, RouteHandler handler) {
        this(method, pattern, handler, new RouteMatch(pattern.text(), PathParameters.NONE));
    }

    Response handle(Request request) throws Exception {
        var mount = Mount.of(request);
        if (pattern.names().isEmpty()) return handle(request, mount.isNone() ? match : mount.match(pattern));
        var values = pattern.values(request.path());
        if (values.isEmpty()) return Response.status(400);
        return handle(request, mount.match(pattern, values.get()));
    }

    private Response handle(Request request, RouteMatch found) throws Exception {
        request.matched(found);
        return handler.handle(request, found.parameters());
    }

    @Override
    public String toString() {
        return (method.equals(ANY) ? "any method" : method) + " " + pattern.text();
    }
}
