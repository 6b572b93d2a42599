package io.millrace.http.kit;

import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.TimedOut;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;

/// Runs HTTP handlers and clients in tests.
///
/// ```java
/// var app = HttpKit.asServedOnLoop(routes);
/// assertEquals(201, app.handle(Request.post("/rooms", Bytes.utf8("name=blue"))).status());
/// ```
/// They run in a [Simulation]: its time is virtual, so nothing here waits, and a result that arrives from a
/// thread outside of it fails the test. Leave such work to `loop().blocking(…)`, or answer with a completed
/// stage.
public final class HttpKit {
    private static final int PORT = 80;
    private static final long MOST_BYTES = 64 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private HttpKit() {}

    // Handlers.

    /// Calls a handler as [Http#listen] does: each request goes over a simulated network to its own server, and
    /// the complete response comes back, however it is made, within 60 s of virtual time. A body is still to
    /// arrive there, so that a handler that treats it as a value fails here and not with the first client. What
    /// the handler throws is thrown, except [io.millrace.http.HttpError], which becomes a response as in a
    /// server.
    ///
    /// The resulting handler throws an [IllegalStateException] for a response that does not end in time.
    public static HttpHandler asServedOnLoop(HttpHandler handler) {
        return request -> complete(handler, Http::listen, request);
    }

    /// Calls a handler as [Http#serve] does: on a virtual thread, where it may wait for its body and for a
    /// client of [#client].
    public static HttpHandler asServed(HttpHandler handler) {
        return request -> complete(handler, Http::serve, request);
    }

    /// The part of a response that has arrived after some virtual time, for responses that do not end by
    /// themselves, such as events and pushed bodies. The handler runs on the loop.
    ///
    /// @throws IllegalStateException when no response head has arrived
    /// @throws Exception what the handler threw
    public static Response soFar(HttpHandler handler, Request request, Duration time) throws Exception {
        var watched = new WatchedHandler(handler);
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(PORT), watched);
                var client = client(network)) {
            var reader = new PartialResponse(request.toString());
            var _ = client.sendAsync(addressed(request), reader);
            network.advance(time);
            watched.rethrow();
            return reader.soFar(time);
        }
    }

    private static Response complete(HttpHandler handler, BiFunction<Listen, HttpHandler, Server> door, Request request)
            throws Exception {
        var watched = new WatchedHandler(handler);
        try (var network = new Simulation(1);
                var _ = door.apply(network.on(PORT), watched);
                var client = HttpClient.of(settings(network).timeout(PATIENCE))) {
            var response = client.send(addressed(request));
            watched.rethrow();
            return response;
        } catch (TimedOut e) {
            watched.rethrow();
            throw new IllegalStateException(
                    "the response to " + request + " is not complete after " + PATIENCE.toSeconds()
                            + " s of virtual time: let it end, or look at HttpKit.soFar(…)",
                    e);
        }
    }

    private static Request addressed(Request request) {
        var query = request.query().isEmpty() ? "" : "?" + request.query();
        var asked = new AtomicReference<>(
                Request.of(request.method(), "http://localhost" + request.path() + query, request.bytes()));
        request.headers().forEach((name, value) -> asked.set(asked.get().addHeader(name, value)));
        return asked.get();
    }

    // Clients.

    /// A client on a simulated network: `http://anybody:8080/` is the server of port 8080 there. The
    /// simulation's delays and faults apply to its connections.
    public static HttpClient client(Simulation network) {
        return HttpClient.of(settings(network));
    }

    /// The settings of [#client], to change before the client is made.
    public static ClientSettings settings(Simulation network) {
        return ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .limits(HttpLimits.standard().bodyBytes(MOST_BYTES));
    }
}
