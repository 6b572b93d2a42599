package io.millrace.http;

import io.millrace.http.grammar.PathPattern;

/// A handler for a method, or for any, and the paths of a pattern.
record Route(String method, PathPattern pattern, RouteHandler handler) {
    /// No method is like this.
    static final String ANY = "";

    Response handle(Request request) throws Exception {
        if (pattern.names().isEmpty()) return handler.handle(request, PathParameters.NONE);
        var values = pattern.values(request.path());
        if (values.isEmpty()) return Response.status(400);
        return handler.handle(request, new PathParameters(pattern.names(), values.get()));
    }

    @Override
    public String toString() {
        return (method.equals(ANY) ? "any method" : method) + " " + pattern.text();
    }
}
