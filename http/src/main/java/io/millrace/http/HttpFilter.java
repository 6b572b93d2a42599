package io.millrace.http;

/// A function around a handler: it looks at requests before, at responses after, or answers itself.
///
/// ```java
/// HttpFilter noStore = next -> request ->
///         next.handle(request).map(response -> response.setHeader("Cache-Control", "no-store"));
///
/// Routes.of().get("/", home).filter(noStore)           // everything, 404 and 405 too
/// Routes.of().get("/account", noStore.applyTo(account)) // one handler
/// ```
/// [Response#map] is the way to change a response, because it may come later. What a handler throws, a
/// [HttpError] too, passes as an exception.
@FunctionalInterface
public interface HttpFilter {
    /// What is called instead of a handler. It is called where handlers are.
    ///
    /// @param next the handler, to be called or not
    HttpHandler around(HttpHandler next);

    /// This filter around a handler. It streams when the handler does, so that a filter need not think of that,
    /// and cannot take the body of a request away from somebody who wants it as it arrives.
    default HttpHandler applyTo(HttpHandler handler) {
        var filtered = around(handler);
        return new HttpHandler() {
            @Override
            public Response handle(Request request) throws Exception {
                return filtered.handle(request);
            }

            @Override
            public boolean isStreaming(Request head) {
                return handler.isStreaming(head);
            }
        };
    }
}
