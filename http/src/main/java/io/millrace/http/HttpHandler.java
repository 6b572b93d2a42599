package io.millrace.http;

/// Answers requests: an ordinary function, which needs no server to be tested.
///
/// ```java
/// HttpHandler app = request -> switch (request.path()) {
///     case "/" -> Response.ok("hello");
///     default -> Response.status(404);
/// };
/// assertEquals(200, app.handle(Request.get("/")).status());
/// ```
/// It is called where the server's `Dispatch` says: with `Dispatch.loop()` on the loop, where it must not block.
/// Calls of one connection never overlap and come in the order of its requests.
@FunctionalInterface
public interface HttpHandler {
    /// What it throws is answered with 500, or with what a [HttpError] says; the peer sees nothing else of it.
    Response handle(Request request) throws Exception;

    /// Whether [#handle] is called as soon as the head of a request is there, and answers with
    /// [Response#reading] or [Response#duplex] to get the body as it arrives. Otherwise the whole body comes with
    /// the request, up to [HttpLimits#bodyBytes]. Asked only for requests that have a body, in front of it.
    default boolean isStreaming(Request head) {
        return false;
    }

    /// The same handler, called as soon as a head is there.
    static HttpHandler streaming(HttpHandler handler) {
        return new HttpHandler() {
            @Override
            public Response handle(Request request) throws Exception {
                return handler.handle(request);
            }

            @Override
            public boolean isStreaming(Request head) {
                return true;
            }
        };
    }
}
