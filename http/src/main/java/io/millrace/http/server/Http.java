package io.millrace.http.server;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.JsonCodec;
import io.millrace.http.RouteHandler;
import io.millrace.http.exchange.Serving;
import io.millrace.http.h1.HttpServing;
import io.millrace.http.h2.Http2Serving;
import io.millrace.http.message.CollectedRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/// Servers for HTTP/1.1 (RFC 9110, RFC 9112). [#listen] calls handlers on the loops of their connections, where they
/// must not block; [#serve] calls them on virtual threads, where they may.
///
/// ```java
/// Http.serve(8080, request -> switch (request.path()) {
///     case "/" -> Response.ok("hello");
///     default -> Response.status(404);
/// });
/// ```
/// The settings in [Listen] hold unchanged. If they have no [Listen#writeTimeout], a peer that reads nothing of
/// its response for 60 s loses its connection.
///
/// A server is strict: a request that violates the RFC is answered with 400, and its connection closed. Requests
/// of one connection are handled one after the other; while one is unanswered, at most [Listen#inputLimit] of the
/// bytes that follow is held.
public final class Http {
    /// How long a peer may read nothing of its response, if there is no [Listen#writeTimeout].
    public static final Duration STANDARD_WRITE_TIMEOUT = Duration.ofSeconds(60);

    private static final AtomicBoolean IS_JSON_SOUGHT = new AtomicBoolean();

    private Http() {}

    // On the loop.

    /// Serves on all addresses of this machine, with handlers on the loop.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server listen(int port, HttpHandler handler) {
        return listen(Listen.on(port), handler);
    }

    /// Serves with handlers on the loop.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    /// @throws IllegalArgumentException for another [Listen#dispatch]
    public static Server listen(Listen on, HttpHandler handler) {
        return listen(on, HttpSettings.standard(), handler);
    }

    /// Serves with settings, with handlers on the loop.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    /// @throws IllegalArgumentException for another [Listen#dispatch]
    public static Server listen(Listen on, HttpSettings settings, HttpHandler handler) {
        var dispatch = on.dispatch().orElse(Dispatch.loop());
        if (!(dispatch instanceof Dispatch.OnLoop)) {
            throw new IllegalArgumentException(
                    "Http.listen calls handlers on the loop, not with " + dispatch + ": use Http.serve");
        }
        return start(on, dispatch, settings, handler);
    }

    // On other threads.

    /// Serves on all addresses of this machine, with handlers on virtual threads.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(int port, HttpHandler handler) {
        return serve(Listen.on(port), handler);
    }

    /// Serves with handlers on virtual threads, or in the pool of [Listen#dispatch].
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    /// @throws IllegalArgumentException with [Dispatch#loop]
    public static Server serve(Listen on, HttpHandler handler) {
        return serve(on, HttpSettings.standard(), handler);
    }

    /// Serves with settings; as [#serve(Listen, HttpHandler)].
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    /// @throws IllegalArgumentException with [Dispatch#loop]
    public static Server serve(Listen on, HttpSettings settings, HttpHandler handler) {
        var dispatch = on.dispatch().orElse(Dispatch.virtual());
        if (dispatch instanceof Dispatch.OnLoop) {
            throw new IllegalArgumentException(
                    "Http.serve calls handlers where they may block, not with " + dispatch + ": use Http.listen");
        }
        return start(on, dispatch, settings, handler);
    }

    /// On a thread of its own: a codec may have a library to load, which at its first use would keep a loop for a
    /// tenth of a second.
    private static void seekJson() {
        if (IS_JSON_SOUGHT.getAndSet(true)) return;
        Thread.ofPlatform().daemon().name("millrace-json").start(JsonCodec::standard);
    }

    private static Server start(Listen on, Dispatch dispatch, HttpSettings settings, HttpHandler handler) {
        seekJson();
        var exchanges = Serving.of(settings, dispatch, handler);
        var writeTimeout = on.writeTimeout().orElse(STANDARD_WRITE_TIMEOUT);
        var serving = new HttpServing(exchanges, new Http2Serving(exchanges, dispatch, writeTimeout), dispatch);
        var mine = on.used().dispatch(dispatch);
        return Tcp.listen(on.writeTimeout().isEmpty() ? mine.writeTimeout(STANDARD_WRITE_TIMEOUT) : mine, serving);
    }

    // Bodies as values.

    /// Wraps a handler, which is then called when the whole body of its request has arrived as a value: no thread
    /// waits for a slow peer. A longer body is answered with 413.
    ///
    /// @param most the longest body, in bytes (`http.body`)
    /// @throws IllegalArgumentException for a negative number
    public static HttpHandler whole(long most, HttpHandler handler) {
        checkMost(most);
        return request -> CollectedRequest.handle(request, most, () -> handler.handle(request));
    }

    /// The same for a handler in [io.millrace.http.Routes] with path parameters.
    ///
    /// @param most the longest body, in bytes (`http.body`)
    /// @throws IllegalArgumentException for a negative number
    public static RouteHandler whole(long most, RouteHandler handler) {
        checkMost(most);
        return (request, path) -> CollectedRequest.handle(request, most, () -> handler.handle(request, path));
    }

    /// The same as a filter, for all handlers behind it.
    ///
    /// @param most the longest body, in bytes (`http.body`)
    /// @throws IllegalArgumentException for a negative number
    public static HttpFilter whole(long most) {
        checkMost(most);
        return next -> whole(most, next);
    }

    private static void checkMost(long most) {
        if (most < 0) throw new IllegalArgumentException("bodies of " + most + " bytes: take 0 or more");
    }
}
