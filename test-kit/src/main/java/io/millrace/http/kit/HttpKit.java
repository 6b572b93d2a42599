package io.millrace.http.kit;

import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.concurrent.atomic.AtomicReference;

/// Handlers in unit tests.
///
/// ```java
/// var app = HttpKit.asServedOnLoop(routes);
/// assertEquals(201, app.handle(Request.post("/rooms", Bytes.utf8("name=blue"))).status());
/// ```
public final class HttpKit {
    private static final int PORT = 80;
    private static final long MOST_BYTES = 64 << 20;

    private HttpKit() {}

    /// A handler as [Http#listen] calls it: each request goes over a simulated network to a server of its
    /// own, and the complete response comes back, however it is made. A body is to come there, so that a
    /// handler which takes it for a value fails here and not at the first client. What the handler throws is
    /// thrown, but for [HttpError], which is answered as a server does.
    public static HttpHandler asServedOnLoop(HttpHandler handler) {
        return request -> serve(handler, request);
    }

    private static Response serve(HttpHandler handler, Request request) throws Exception {
        var thrown = new AtomicReference<Exception>();
        HttpHandler watched = served -> {
            try {
                return handler.handle(served);
            } catch (HttpError e) {
                throw e;
            } catch (Exception e) {
                thrown.set(e);
                throw e;
            }
        };
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(PORT), watched);
                var client = client(network)) {
            var response = client.send(addressed(request));
            var failure = thrown.get();
            if (failure != null) throw failure;
            return response;
        }
    }

    private static HttpClient client(Simulation network) {
        return HttpClient.configure()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .limits(HttpLimits.standard().bodyBytes(MOST_BYTES))
                .start();
    }

    private static Request addressed(Request request) {
        var query = request.query().isEmpty() ? "" : "?" + request.query();
        var asked = new AtomicReference<>(
                Request.of(request.method(), "http://localhost" + request.path() + query, request.bytes()));
        request.headers().forEach((name, value) -> asked.set(asked.get().addHeader(name, value)));
        return asked.get();
    }
}
