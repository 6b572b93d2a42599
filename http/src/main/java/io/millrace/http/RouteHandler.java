package io.millrace.http;

/// A [HttpHandler] that also gets what stands in the path where its pattern has parameters; see [Routes].
@FunctionalInterface
public interface RouteHandler {
    /// As [HttpHandler#handle].
    Response handle(Request request, PathParameters path) throws Exception;

    /// As [HttpHandler#isStreaming].
    default boolean isStreaming(Request head) {
        return false;
    }

    /// The same handler, called as soon as a head is there.
    static RouteHandler streaming(RouteHandler handler) {
        return new RouteHandler() {
            @Override
            public Response handle(Request request, PathParameters path) throws Exception {
                return handler.handle(request, path);
            }

            @Override
            public boolean isStreaming(Request head) {
                return true;
            }
        };
    }
}
