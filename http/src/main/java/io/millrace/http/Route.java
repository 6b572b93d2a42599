package io.millrace.http;

import io.millrace.http.grammar.PathPattern;

/// A handler for a method, or for any, and the paths of a pattern.
record Route(String method, PathPattern pattern, RouteHandler handler) {
    /// No method is like this.
    static final String ANY = "";

    Response handle(Request request) throws Exception {
        var mount = Mount.of(request);
        var parameters = mount.parameters();
        if (!pattern.names().isEmpty()) {
            var values = pattern.values(request.path());
            if (values.isEmpty()) return Response.status(400);
            parameters = parameters.and(pattern.names(), values.get());
        }
        request.matched(mount.templateOf(pattern), parameters);
        return handler.handle(request, parameters);
    }

    @Override
    public String toString() {
        return (method.equals(ANY) ? "any method" : method) + " " + pattern.text();
    }
}
