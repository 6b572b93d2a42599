package io.millrace.http;

/// A [HttpHandler] that also gets what stands in the path where its pattern has parameters; see [Routes].
@FunctionalInterface
public interface RouteHandler {
    /// As [HttpHandler#handle].
    Response handle(Request request, PathParameters path) throws Exception;
}
