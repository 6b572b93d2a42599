package io.millrace.http;

/// A function around a handler: it looks at requests before, at responses after, or answers itself.
///
/// ```java
/// HttpFilter noStore = next -> request ->
///         next.handle(request).map(response -> response.setHeader("Cache-Control", "no-store"));
///
/// Routes.of().get("/", home).filter(noStore)           // everything, 404 and 405 too
/// Routes.of().get("/account", noStore.around(account)) // one handler
/// ```
/// Use [Response#map] to change a response, because it may come later. What a handler throws, an [HttpError] too,
/// reaches the filter as an exception.
@FunctionalInterface
public interface HttpFilter {
    /// Wraps a handler: the result is called instead of it, where handlers are.
    ///
    /// @param next the handler; the filter decides whether it is called
    HttpHandler around(HttpHandler next);
}
