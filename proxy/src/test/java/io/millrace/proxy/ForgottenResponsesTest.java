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
}
