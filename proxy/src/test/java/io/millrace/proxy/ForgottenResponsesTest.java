package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.websocket.SocketLimit;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A handler asks an upstream, and sends another response: what the backend has begun for nobody ends.
@Tag("simulation")
class ForgottenResponsesTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void a_websocket_that_nobody_gets_gives_back_its_place_and_its_backend() {
        Simulation.forEachSeed(20, network -> {
            var visits = new ArrayList<Peer>();
            network.answer(PORT + 1, visits::add);
            var upstream = Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1)))));
            var limit = new SocketLimit("a test", 1, 0);
            var other = new CompletableFuture<Response>();
            HttpHandler forgetful = request -> {
                Objects.requireNonNull(ReceivedRequest.behind(request)).limitsTunnels(limit);
                var _ = upstream.handle(request);
                return Response.later(other);
            };
            try (upstream;
                    var _ = Http.listen(network.on(PORT), forgetful)) {
                var client = network.connect(PORT).send(RawHandshake.ASKING);
                network.advance(SECOND);
                var backend = visits.getFirst();
                backend.send(RawHandshake.agreeing(backend.received().lines().toList()));
                network.advance(SECOND);
                assertEquals(1, limit.open());
                other.complete(Response.status(403));
                network.advance(SECOND);
                assertTrue(client.received().startsWith("HTTP/1.1 403 "), client::received);
                assertEquals(0, limit.open());
                assertFalse(backend.isOpen());
            }
        });
    }

    /// The backend answers with an error of this length, in place of which a filter sends its own.
    private static void replaced(int length, Consumer<Peer> check) {
        Simulation.forEachSeed(20, network -> {
            var visits = new ArrayList<Peer>();
            network.answer(PORT + 1, visits::add);
            var upstream = Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1)))));
            HttpHandler filtered = request ->
                    upstream.handle(request).map(answer -> answer.status() == 500 ? Response.status(503) : answer);
            try (upstream;
                    var _ = Http.listen(network.on(PORT), filtered)) {
                var client = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(SECOND);
                var backend = visits.getFirst();
                backend.send("HTTP/1.1 500 Oops\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length));
                network.advance(SECOND.multipliedBy(30));
                assertTrue(client.received().startsWith("HTTP/1.1 503 "), client::received);
                check.accept(backend);
            }
        });
    }

    @Test
    void a_long_body_that_nobody_gets_ends_its_connection() {
        replaced(1 << 20, backend -> assertFalse(backend.isOpen()));
    }

    @Test
    void a_short_body_that_nobody_gets_is_dropped() {
        replaced(3, backend -> assertTrue(backend.isOpen()));
    }
}
