package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Load in HTTP/2 on the real server, on networks that delay, cut and hold up bytes in every way.
class Http2LoadSeedsTest {
    private static final int SEEDS = 100;
    private static final int REQUESTS = 60;
    private static final HttpMessages GET =
            HttpMessages.get("localhost:7", "/a?b=c").header("X-Mine", "yes");

    @Test
    void counts_what_it_asked_for() {
        Simulation.forEachSeed(SEEDS, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> {
                asked.incrementAndGet();
                return Response.ok(isAsSent(request) ? "hello" : "wrong");
            });
            var result = load(network, GET.expectingLength(5));
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertEquals(REQUESTS, asked.get());
            assertEquals(Map.of("2xx", (long) REQUESTS), result.statuses());
        });
    }

    private static boolean isAsSent(Request request) {
        return request.method().equals("GET")
                && request.path().equals("/a")
                && request.query().equals("b=c")
                && request.headers().all("Host").equals(List.of("localhost:7"))
                && request.headers().first("X-Mine").orElse("").equals("yes");
    }

    @Test
    void sends_bodies_of_any_size_and_reads_them_back() {
        Simulation.forEachSeed(SEEDS, network -> {
            boolean isLarge = network.random(10) == 0;
            var body = Bytes.of(network.randomBytes(network.random(isLarge ? 300_000 : 1000)));
            // In virtual time some of these networks are slower than a server puts up with.
            var limits = HttpLimits.standard().bodyBytesPerSecond(0);
            Http.listen(
                    network.on(PORT),
                    HttpSettings.standard().limits(limits),
                    Http.whole(1 << 20, request -> Response.ok(request.bytes(), "application/octet-stream")));
            var messages = GET.method("POST").body(body).expectingLength(HttpMessages.ANY_LENGTH);
            var result = load(network, messages);
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertTrue(result.bytes() >= (long) REQUESTS * body.length(), result::toString);
        });
    }

    @Test
    void responses_to_HEAD_have_no_body() {
        Simulation.forEachSeed(30, network -> {
            serve(network, request -> Response.ok("hello"));
            assertEquals(
                    "", load(network, GET.method("HEAD").expectingLength(0)).firstError());
        });
    }

    @Test
    void a_status_that_was_not_expected_is_an_error_and_the_connection_goes_on() {
        Simulation.forEachSeed(30, network -> {
            var asked = new AtomicInteger();
            serve(network, request -> asked.incrementAndGet() % 3 == 0 ? Response.status(503) : Response.ok("hello"));
            var result = load(network, GET);
            assertEquals(REQUESTS * 2 / 3, result.messages());
            assertEquals(Map.of("2xx", 40L, "5xx", 20L), result.statuses());
            assertTrue(
                    result.firstError().matches("response \\d+ on connection \\d has status 503 instead of 2xx"),
                    result.firstError());
        });
    }

    @Test
    void fields_that_do_not_fit_into_the_table_arrive() {
        Simulation.forEachSeed(30, network -> {
            serve(
                    network,
                    request -> Response.ok(request.headers().first("X-Long").orElse("none")));
            var messages = GET.header("X-Long", "a".repeat(3000)).header("X-Other", "b".repeat(3000));
            assertEquals("", load(network, messages.expectingLength(3000)).firstError());
        });
    }

    @Test
    void what_HTTP_2_cannot_carry_is_refused() {
        refuses(GET.closing(), "HTTP/2 has no field that closes a connection");
        refuses(GET.header("Keep-Alive", "5"), "HTTP/2 has no field Keep-Alive: leave it out");
        refuses(GET.header("X-Long", "a".repeat(40_000)), "do not fit into a frame of 16384: send fewer");
    }

    private static void refuses(HttpMessages messages, String words) {
        var refused = assertThrows(IllegalArgumentException.class, () -> messages.overHttp2("http"));
        assertTrue(String.valueOf(refused.getMessage()).contains(words), refused::toString);
    }

    private static void serve(Simulation network, HttpHandler handler) {
        Http.listen(network.on(PORT), handler);
    }

    private static LoadResult load(Simulation network, HttpMessages messages) throws Exception {
        var settings = settings().connections(1 + network.random(5));
        if (network.random(2) == 0) settings = settings.rate(500 + network.random(100_000));
        settings = settings.depth(1 + network.random(20)).with(messages.overHttp2("http"));
        return new SimulatedLoad(network, settings.messages(REQUESTS).patience(Duration.ofHours(10))).result();
    }
}
