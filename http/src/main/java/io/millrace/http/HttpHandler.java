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
/// It is called as soon as a request's head has arrived. The body is a value, or it is still to come:
///
/// - It is **a value** if there is none, in a request that a program built, when
///   [whole][io.millrace.http.server.Http#whole(long, HttpHandler)] has collected it, and, up to an announced
///   length of 64 KiB, in a handler of [serve][io.millrace.http.server.Http#serve(int, HttpHandler)].
/// - A body **to come** is read as it arrives, by answering with [Response#reading] or [Response#duplex].
///
/// So a handler works the same in a lambda, a filter, or [Routes]. Unread body is dropped: the server waits for
/// up to 64 KiB of it; with more the connection closes after the response.
///
/// Calls of one connection never overlap and come in the order of its requests: on its loop, where a handler must
/// not block, or on the threads of the server's `Dispatch`.
@FunctionalInterface
public interface HttpHandler {
    /// An exception is answered with 500, or as an [HttpError] says; the peer sees nothing else of it.
    Response handle(Request request) throws Exception;
}
