package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.client.RetryFilter;
import io.millrace.http.server.Http;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// When a client asks again, and when it does not.
class RetryFilterTest {
    private static final int PORT = 80;
    private static final String URI = "http://127.0.0.1:" + PORT + "/a";
    private static final InstantSource CLOCK = () -> Instant.parse("2026-01-01T00:00:00Z");

    /// With waits of 100, 200, 400 … ms.
    private static final RetryFilter CERTAIN =
            RetryFilter.standard().luck(() -> 1).clock(CLOCK);

    /// A server that answers with one status after the other, and the times at which it was asked.
    private static final class Answers implements HttpHandler {
        private final Simulation network;
        private final List<Response> answers;
        private final List<Long> asked = new ArrayList<>();

        Answers(Simulation network, Response... answers) {
            this.network = network;
            this.answers = List.of(answers);
        }

        @Override
        public Response handle(Request request) {
            asked.add(network.now().toMillis());
            return answers.get(Math.min(asked.size(), answers.size()) - 1);
        }
    }

    /// With a budget of its own.
    private static HttpClient client(Simulation network, RetryFilter filter) {
        return HttpClient.of(settings(network, filter));
    }

    private static ClientSettings settings(Simulation network, RetryFilter filter) {
        return ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .filter(filter.attempts(filter.attempts()));
    }

    private static void with(RetryFilter filter, Response[] answers, Consumer<Asked> test) {
        Simulation.forEachSeed(10, network -> {
            network.delays(Duration.ZERO, Duration.ZERO);
            var server = new Answers(network, answers);
            try (var _ = Http.listen(network.on(PORT), server);
                    var client = client(network, filter)) {
                test.accept(new Asked(network, client, server));
                SimulatedClient.close(client, network);
            }
        });
    }

    private record Asked(Simulation network, HttpClient client, Answers server) {
        CompletableFuture<Response> ask(Request request) {
            var answer = client.sendAsync(request);
            network.advance(Duration.ofSeconds(30));
            return answer;
        }

        int times() {
            return server.asked.size();
        }

        /// Milliseconds between the first two requests.
        long waited() {
            return server.asked.get(1) - server.asked.get(0);
        }
    }

    private static Response[] statuses(int... all) {
        return java.util.Arrays.stream(all).mapToObj(Response::status).toArray(Response[]::new);
    }

    @Test
    @Tag("simulation")
    void an_answer_that_says_later_is_asked_for_again() {
        for (int status : new int[] {429, 502, 503, 504}) {
            with(CERTAIN, statuses(status, 200), asked -> {
                assertEquals(200, asked.ask(Request.get(URI)).join().status());
                assertEquals(2, asked.times());
            });
        }
    }

    @Test
    @Tag("simulation")
    void any_other_answer_is_the_callers() {
        for (int status : new int[] {200, 204, 301, 400, 404, 500, 501}) {
            with(CERTAIN, statuses(status, 200), asked -> {
                assertEquals(status, asked.ask(Request.get(URI)).join().status());
                assertEquals(1, asked.times());
            });
        }
    }

    @Test
    @Tag("simulation")
    void the_last_answer_is_the_callers_with_its_body() {
        Response[] busy = {Response.of(503, "text/plain", Bytes.utf8("busy"))};
        with(CERTAIN.attempts(4), busy, asked -> {
            assertEquals("busy", asked.ask(Request.get(URI)).join().text());
            assertEquals(4, asked.times());
        });
    }

    @Test
    @Tag("simulation")
    void waits_double_up_to_the_longest_one() {
        var filter = CERTAIN.attempts(6).backoff(Duration.ofMillis(100), Duration.ofMillis(500));
        with(filter, statuses(503), asked -> {
            assertEquals(503, asked.ask(Request.get(URI)).join().status());
            var waits = new ArrayList<Long>();
            for (int i = 1; i < asked.times(); i++) {
                waits.add((asked.server.asked.get(i) - asked.server.asked.get(i - 1)) / 100);
            }
            assertEquals(List.of(1L, 2L, 4L, 5L, 5L), waits);
        });
    }

    @Test
    @Tag("simulation")
    void luck_makes_a_wait_up_to_a_half_shorter() {
        with(CERTAIN.luck(() -> 0).backoff(Duration.ofSeconds(2), Duration.ofSeconds(8)), statuses(503), asked -> {
            var _ = asked.ask(Request.get(URI));
            assertEquals(1, asked.waited() / 1000);
        });
    }

    @Test
    @Tag("simulation")
    void what_is_not_idempotent_is_sent_once_unless_that_is_wanted() {
        for (var method : List.of("POST", "PATCH")) {
            var request = Request.of(method, URI, Bytes.utf8("order"));
            with(CERTAIN, statuses(503, 200), asked -> {
                assertEquals(503, asked.ask(request).join().status());
                assertEquals(1, asked.times());
            });
            with(CERTAIN.unsafe(true), statuses(503, 200), asked -> {
                assertEquals(200, asked.ask(request).join().status());
                assertEquals(2, asked.times());
            });
        }
    }

    @Test
    @Tag("simulation")
    void a_body_that_was_written_is_not_sent_again() {
        with(CERTAIN.unsafe(true), statuses(503, 200), asked -> {
            var request = Request.of("PUT", URI, out -> {
                out.writeUtf8("once");
                return false;
            });
            assertEquals(503, asked.ask(request).join().status());
            assertEquals(1, asked.times());
        });
    }

    @Test
    @Tag("simulation")
    void retry_after_says_how_long_in_seconds_or_as_a_date() {
        for (var entry :
                Map.of("3", 3L, "Thu, 01 Jan 2026 00:00:05 GMT", 5L, "0", 0L).entrySet()) {
            Response[] answers = {Response.status(503).setHeader("Retry-After", entry.getKey()), Response.ok("now")};
            with(CERTAIN, answers, asked -> {
                assertEquals("now", asked.ask(Request.get(URI)).join().text());
                assertEquals(entry.getValue(), asked.waited() / 1000);
            });
        }
    }

    @Test
    @Tag("simulation")
    void a_retry_after_that_is_too_long_makes_the_answer_the_callers() {
        for (var far : List.of("11", "999999999", "Fri, 02 Jan 2026 00:00:00 GMT")) {
            Response[] answers = {Response.status(503).setHeader("Retry-After", far), Response.ok("now")};
            with(CERTAIN, answers, asked -> {
                assertEquals(503, asked.ask(Request.get(URI)).join().status());
                assertEquals(1, asked.times());
            });
        }
    }

    @Test
    @Tag("simulation")
    void a_retry_after_that_is_none_counts_for_nothing() {
        for (var none : List.of("soon", "-1", "1e3", "99999999999999999999")) {
            Response[] answers = {Response.status(503).setHeader("Retry-After", none), Response.ok("now")};
            with(CERTAIN, answers, asked -> {
                assertEquals("now", asked.ask(Request.get(URI)).join().text());
                assertEquals(1, asked.waited() / 100);
            });
        }
    }

    @Test
    @Tag("simulation")
    void a_server_in_trouble_gets_no_more_retries_than_the_budget_has() {
        with(CERTAIN.attempts(2).budgetPercent(10), statuses(503), asked -> {
            for (int i = 0; i < 100; i++) {
                assertEquals(503, asked.ask(Request.get(URI)).join().status());
            }
            assertTrue(asked.times() >= 119 && asked.times() <= 121, () -> asked.times() + " requests");
        });
    }

    @Test
    @Tag("simulation")
    void a_refused_connection_is_tried_again_whatever_the_method() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, CERTAIN)) {
                var answer = client.sendAsync(Request.post(URI, Bytes.utf8("order")));
                network.advance(Duration.ofMillis(50));
                assertFalse(answer.isDone());
                try (var _ = Http.listen(network.on(PORT), request -> Response.ok(request.path()))) {
                    network.advance(Duration.ofSeconds(5));
                    assertEquals("/a", answer.join().text());
                    SimulatedClient.close(client, network);
                }
            }
        });
    }

    @Test
    @Tag("simulation")
    void an_attempt_that_takes_too_long_makes_room_for_the_next() {
        Simulation.forEachSeed(20, network -> {
            var asked = new AtomicInteger();
            HttpHandler first = _ ->
                    asked.incrementAndGet() == 1 ? Response.later(new CompletableFuture<>()) : Response.ok("second");
            try (var _ = Http.listen(network.on(PORT), first);
                    var client = client(network, CERTAIN.attemptTimeout(Duration.ofSeconds(2)))) {
                var answer = client.sendAsync(Request.get(URI));
                network.advance(Duration.ofSeconds(10));
                assertEquals("second", answer.join().text());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    @Tag("simulation")
    void the_time_of_the_call_is_the_time_of_all_attempts() {
        Simulation.forEachSeed(20, network -> {
            var asked = new AtomicInteger();
            try (var _ = Http.listen(network.on(PORT), _ -> {
                        asked.incrementAndGet();
                        return Response.later(new CompletableFuture<>());
                    });
                    var client = client(network, CERTAIN.attempts(100).attemptTimeout(Duration.ofSeconds(1)))) {
                var answer = client.sendAsync(Request.get(URI).timeout(Duration.ofSeconds(3)));
                network.advance(Duration.ofSeconds(4));
                var thrown = assertThrows(CompletionException.class, answer::join);
                assertTrue(thrown.getCause() instanceof TimedOut, thrown::toString);
                int until = asked.get();
                network.advance(Duration.ofSeconds(30));
                assertEquals(until, asked.get());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    @Tag("simulation")
    void whoever_gives_up_between_two_attempts_is_not_asked_for_again() {
        Simulation.forEachSeed(20, network -> {
            var server = new Answers(network, statuses(503));
            try (var _ = Http.listen(network.on(PORT), server);
                    var client = client(network, CERTAIN.backoff(Duration.ofSeconds(5), Duration.ofSeconds(5)))) {
                var answer = client.sendAsync(Request.get(URI));
                network.advance(Duration.ofSeconds(4));
                assertEquals(1, server.asked.size());
                assertTrue(answer.cancel(true));
                network.advance(Duration.ofSeconds(30));
                assertEquals(1, server.asked.size());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    @Tag("simulation")
    void a_call_that_is_given_up_takes_nothing_of_the_budget() {
        var filter = CERTAIN.budgetPercent(0).backoff(Duration.ofSeconds(5), Duration.ofSeconds(5));
        Simulation.forEachSeed(10, network -> {
            var isBusy = new AtomicBoolean();
            HttpHandler silent = _ -> isBusy.get() ? Response.status(503) : Response.later(new CompletableFuture<>());
            try (var _ = Http.listen(network.on(PORT), silent);
                    var client = client(network, filter)) {
                // Waiting for an answer, and then for the time to ask again; ten retries are saved up.
                for (boolean busy : new boolean[] {false, true}) {
                    isBusy.set(busy);
                    for (int i = 0; i < 11; i++) {
                        var answer = client.sendAsync(Request.get(URI));
                        network.advance(Duration.ofSeconds(1));
                        assertTrue(answer.cancel(true));
                        network.advance(Duration.ofSeconds(10));
                    }
                }
                var answer = client.sendAsync(Request.get(URI));
                network.advance(Duration.ofSeconds(1));
                // It asks again.
                assertFalse(answer.isDone());
                assertTrue(answer.cancel(true));
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    @Tag("simulation")
    void a_call_that_waits_for_its_next_attempt_keeps_no_connection() {
        var filter = CERTAIN.backoff(Duration.ofSeconds(5), Duration.ofSeconds(5));
        for (int length : new int[] {10, 20_000, 3_000_000}) {
            Simulation.forEachSeed(10, network -> {
                var asked = new AtomicInteger();
                HttpHandler first = _ -> asked.incrementAndGet() == 1
                        ? Response.of(503, "text/plain", Bytes.utf8("x".repeat(length)))
                        : Response.ok("now");
                try (var _ = Http.listen(network.on(PORT), first);
                        var client = HttpClient.of(settings(network, filter).connections(1))) {
                    var waits = client.sendAsync(Request.get(URI));
                    network.advance(Duration.ofSeconds(2));
                    var other = client.sendAsync(Request.get(URI));
                    network.advance(Duration.ofSeconds(2));
                    assertTrue(other.isDone());
                    assertEquals("now", other.join().text());
                    assertFalse(waits.isDone());
                    network.advance(Duration.ofSeconds(5));
                    assertEquals("now", waits.join().text());
                    SimulatedClient.close(client, network);
                }
            });
        }
    }

    @Test
    @Tag("simulation")
    void a_call_that_waits_for_its_next_attempt_hears_of_the_end_of_its_loops() {
        var filter = CERTAIN.backoff(Duration.ofSeconds(5), Duration.ofSeconds(5));
        for (var limit : List.of(Duration.ZERO, Duration.ofSeconds(30))) {
            Simulation.forEachSeed(10, network -> {
                var client = HttpClient.of(settings(network, filter).timeout(limit));
                var answer = client.sendAsync(Request.get(URI));
                network.advance(Duration.ofSeconds(1));
                assertFalse(answer.isDone());
                network.loops().close();
                assertTrue(answer.isDone());
                assertInstanceOf(Reset.class, answer.exceptionNow());
                client.close();
            });
        }
    }

    @Test
    @Tag("simulation")
    void requests_end_well_on_a_network_that_breaks_connections() {
        Simulation.forEachSeed(60, network -> {
            network.resets(0.1).refusals(0.1);
            var filter = RetryFilter.standard().attempts(10).budgetPercent(100);
            try (var _ = Http.listen(network.on(PORT), request -> Response.ok("x".repeat(2000)));
                    var client = client(network, filter)) {
                var all = Several.of(20, () -> client.sendAsync(Request.get(URI)));
                network.advance(Duration.ofMinutes(2));
                for (var one : all) assertTrue(one.isDone());
                long good = all.stream()
                        .filter(one -> !one.isCompletedExceptionally())
                        .count();
                assertTrue(good > 0, () -> good + " of " + all.size());
                SimulatedClient.close(client, network);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_client_asks_again_on_every_transport(Serving.Kind kind) throws IOException {
        var asked = new AtomicInteger();
        var filter = RetryFilter.standard().backoff(Duration.ofMillis(1), Duration.ofMillis(2));
        try (var serving = kind.serve(
                        request -> asked.incrementAndGet() % 3 == 0 ? Response.ok("third") : Response.status(503));
                var client = HttpClient.of(
                        ClientSettings.standard().loops(serving.loops()).filter(filter))) {
            var request = Request.get(serving.url("/"));
            assertEquals("third", client.send(request).text());
            assertEquals(
                    "third",
                    client.send(
                            request,
                            (_, body) -> new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)));
            assertEquals("third", client.sendAsync(request).join().text());
        }
    }

    @Test
    void settings_that_make_no_sense_are_refused() {
        var filter = RetryFilter.standard();
        assertThrows(IllegalArgumentException.class, () -> filter.attempts(0));
        assertThrows(IllegalArgumentException.class, () -> filter.attempts(101));
        assertThrows(IllegalArgumentException.class, () -> filter.backoff(Duration.ZERO, Duration.ofSeconds(1)));
        assertThrows(
                IllegalArgumentException.class, () -> filter.backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> filter.attemptTimeout(Duration.ofSeconds(-1)));
        assertThrows(IllegalArgumentException.class, () -> filter.budgetPercent(101));
    }
}
