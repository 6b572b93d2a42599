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
/// It is called when the head of a request is there. The body is a value, or it is still to come:
///
/// - It is **a value** where there is none, in a request that was built, where
///   [whole][io.millrace.http.server.Http#whole(long, HttpHandler)] has collected it, and, up to 64 KiB of a length
///   that is said, in a handler of [serve][io.millrace.http.server.Http#serve(int, HttpHandler)].
/// - What is **to come** is read as it arrives, by answering with [Response#reading] or [Response#duplex].
///
/// So a handler may stand in a lambda, a filter, or [Routes] without losing any of it. What it leaves unread is
/// dropped: up to 64 KiB of it are waited for, with more the connection closes behind the response.
///
/// Calls of one connection never overlap and come in the order of its requests: on its loop, where a handler must
/// not block, or on the threads that the server's `Dispatch` says.
@FunctionalInterface
public interface HttpHandler {
    /// What it throws is answered with 500, or with what a [HttpError] says; the peer sees nothing else of it.
    Response handle(Request request) throws Exception;
}
