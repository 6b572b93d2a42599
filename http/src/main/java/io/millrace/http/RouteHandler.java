package io.millrace.http;

/// An [HttpHandler] that also gets the parameters in the path; see [Routes].
@FunctionalInterface
public interface RouteHandler {
    /// As [HttpHandler#handle].
    Response handle(Request request, PathParameters path) throws Exception;
}
