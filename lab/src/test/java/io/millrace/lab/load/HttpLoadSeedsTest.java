package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Load on the real HTTP server, on networks that delay, cut and hold up bytes in every way.
class HttpLoadSeedsTest {
    private static final int SEEDS = 100;
    private static final int REQUESTS = 60;
    private static final HttpMessages GET = HttpMessages.get("localhost", "/");

    @Test
    void counts_what_it_asked_for() {
        Simulation.forEachSeed(SEEDS, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> {
                asked.incrementAndGet();
                return Response.ok("hello");
            });
            var result = new SimulatedLoad(network, anySettings(network).with(GET)).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertEquals(REQUESTS, asked.get());
            assertEquals(Map.of("2xx", (long) REQUESTS), result.statuses());
        });
    }

    @Test
    void numbered_requests_are_all_different_on_a_connection() {
        Simulation.forEachSeed(SEEDS, network -> {
            var numbers = new ArrayList<String>();
            serve(network, request -> {
                numbers.add(request.headers().first("X-Request-Number").orElseThrow());
                return Response.ok("hello");
            });
            var settings = anySettings(network).connections(1).with(GET.numbered());
            var result = new SimulatedLoad(network, settings).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, new HashSet<>(numbers).size());
        });
    }

    @Test
    void reads_bodies_in_chunks() {
        Simulation.forEachSeed(SEEDS, network -> {
            int parts = 1 + network.random(20);
            serve(network, request -> {
                var left = new AtomicInteger(parts);
                return Response.stream(200, out -> {
                    out.writeUtf8("a part of the body");
                    return left.decrementAndGet() > 0;
                });
            });
            var messages = GET.expectingLength(18L * parts);
            var result = new SimulatedLoad(network, anySettings(network).with(messages)).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertTrue(result.bytes() > 18L * parts * REQUESTS, result::toString);
        });
    }

    @Test
    void sends_bodies_of_any_size() {
        Simulation.forEachSeed(SEEDS, network -> {
            boolean isLarge = network.random(10) == 0;
            var body = Bytes.of(network.randomBytes(network.random(isLarge ? 300_000 : 1000)));
            // In virtual time some of these networks are slower than a server puts up with.
            var limits = HttpLimits.standard().bodyBytesPerSecond(0);
            Http.listen(
                    network.on(PORT),
                    HttpSettings.standard().limits(limits),
                    Http.whole(
                            1 << 20,
                            request -> Response.ok(Long.toString(request.body().remaining()))));
            var messages = GET.method("POST")
                    .body(body)
                    .expectingLength(Integer.toString(body.length()).length());
            int count = isLarge ? 5 : REQUESTS;
            var settings = anySettings(network).with(messages).messages(count);
            var result = new SimulatedLoad(network, settings).result();
            assertEquals("", result.firstError());
            assertEquals(count, result.messages());
        });
    }

    @Test
    void each_request_may_have_a_connection_of_its_own() {
        Simulation.forEachSeed(SEEDS, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> {
                asked.incrementAndGet();
                return Response.ok("hello");
            });
            var result = new SimulatedLoad(network, anySettings(network).with(GET.closing())).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            // Those of an open loop that wait their turn are not sent twice.
            assertEquals(REQUESTS, asked.get());
        });
    }

    @Test
    void a_connection_that_the_server_closes_in_order_is_replaced() {
        Simulation.forEachSeed(SEEDS, network -> {
            int each = 1 + network.random(10);
            var asked = new AtomicInteger();
            serve(network, request -> {
                var response = Response.ok("hello");
                return asked.incrementAndGet() % each == 0 ? response.close() : response;
            });
            var result = new SimulatedLoad(network, anySettings(network).with(GET)).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        });
    }

    @Test
    void an_open_loop_of_connections_that_close_keeps_its_rate() {
        Simulation.forEachSeed(30, network -> {
            serve(network, request -> Response.ok("hello"));
            var settings = settings()
                    .with(GET.closing())
                    .connections(1 + network.random(20))
                    .rate(100)
                    // One connection, each time a new one, may take longer for all of them.
                    .patience(Duration.ofHours(1))
                    .duration(Duration.ofSeconds(2));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals("", result.firstError());
            assertTrue(Math.abs(result.messages() - 200) <= 2, result::toString);
        });
    }

    @Test
    void responses_to_HEAD_have_no_body() {
        Simulation.forEachSeed(30, network -> {
            serve(network, request -> Response.ok("hello"));
            var messages = GET.method("HEAD").expectingLength(0);
            var result = new SimulatedLoad(network, anySettings(network).with(messages)).result();
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        });
    }

    @Test
    void a_status_that_was_not_expected_is_an_error_and_the_connection_goes_on() {
        Simulation.forEachSeed(30, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> asked.incrementAndGet() % 3 == 0 ? Response.status(503) : Response.ok("hello"));
            var result = new SimulatedLoad(network, anySettings(network).with(GET)).result();
            assertEquals(REQUESTS * 2 / 3, result.messages());
            assertEquals(REQUESTS / 3, result.errors());
            assertTrue(
                    result.firstError().matches("response \\d+ on connection \\d has status 503 instead of 2xx"),
                    result.firstError());
            assertEquals(Map.of("2xx", 40L, "5xx", 20L), result.statuses());
        });
    }

    @Test
    void a_status_may_be_asked_for() {
        Simulation.forEachSeed(30, network -> {
            serve(network, request -> Response.status(404));
            var result = new SimulatedLoad(network, anySettings(network).with(GET.expectingStatus(404))).result();
            assertEquals("", result.firstError());
            assertEquals(Map.of("4xx", (long) REQUESTS), result.statuses());
        });
    }

    @Test
    void a_body_that_is_not_as_long_as_the_first_is_an_error() {
        Simulation.forEachSeed(30, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> Response.ok(asked.incrementAndGet() == 7 ? "hell" : "hello"));
            var settings = anySettings(network).with(GET).connections(1);
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(REQUESTS - 1, result.messages());
            assertEquals(1, result.errors());
            assertEquals("response 6 on connection 0 has a body of 4 bytes instead of 5", result.firstError());
        });
    }

    @Test
    void an_error_does_not_say_how_long_bodies_are() {
        Simulation.forEachSeed(30, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> asked.incrementAndGet() == 1 ? Response.status(500) : Response.ok("hello"));
            var result = new SimulatedLoad(network, anySettings(network).with(GET)).result();
            assertEquals(REQUESTS - 1, result.messages());
        });
    }

    @Test
    void bodies_may_have_any_length_when_that_is_asked_for() {
        Simulation.forEachSeed(30, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> Response.ok("a".repeat(asked.incrementAndGet())));
            var messages = GET.expectingLength(HttpMessages.ANY_LENGTH);
            var result = new SimulatedLoad(network, anySettings(network).with(messages)).result();
            assertEquals("", result.firstError());
        });
    }

    private static void serve(Simulation network, HttpHandler handler) {
        Http.listen(network.on(PORT), handler);
    }

    private static LoadSettings anySettings(Simulation network) {
        var settings = settings().connections(1 + network.random(5));
        if (network.random(2) == 0) settings = settings.rate(500 + network.random(100_000));
        return settings.depth(1 + network.random(5)).messages(REQUESTS).patience(Duration.ofHours(10));
    }
}
