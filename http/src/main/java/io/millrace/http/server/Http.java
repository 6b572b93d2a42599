package io.millrace.http.server;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.RequestListener;
import io.millrace.http.h1.HttpServing;

/// Servers for HTTP/1.1 (RFC 9110, RFC 9112).
///
/// ```java
/// Http.serve(8080, request -> switch (request.path()) {
///     case "/" -> Response.ok("hello");
///     default -> Response.status(404);
/// });
/// ```
/// A server is strict: what the RFC does not allow is answered with 400 and its connection closed. Requests of
/// one connection are handled one after the other, and while one is not answered, no more than
/// [Listen#inputLimit] of what follows is held.
public final class Http {
    private Http() {}

    /// Serves on all addresses of this machine, with handlers on the loop, which must not block.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(int port, HttpHandler handler) {
        return serve(Listen.on(port), handler);
    }

    /// Serves with handlers on the loop, which must not block.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(Listen on, HttpHandler handler) {
        return serve(on, Dispatch.loop(), handler);
    }

    /// Serves with handlers where `dispatch` says: on the loop, on a virtual thread for each request, or in a
    /// pool.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(Listen on, Dispatch dispatch, HttpHandler handler) {
        return serve(on, dispatch, HttpLimits.standard(), handler);
    }

    /// Serves within other limits.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(Listen on, Dispatch dispatch, HttpLimits limits, HttpHandler handler) {
        return serve(on, dispatch, limits, RequestListener.NOBODY, handler);
    }

    /// Serves, and tells somebody of each request when it is over.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(
            Listen on, Dispatch dispatch, HttpLimits limits, RequestListener told, HttpHandler handler) {
        boolean isOnLoop = dispatch instanceof Dispatch.OnLoop;
        on.dispatch(dispatch).writeTimeout(limits.writeTimeout());
        return Tcp.listen(on, new HttpServing(limits, isOnLoop, told, handler));
    }
}
