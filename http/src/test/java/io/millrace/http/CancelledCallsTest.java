package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.net.TimedOut;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Who cancels the future of a request stops that, wherever it is.
@Tag("simulation")
class CancelledCallsTest {
    private static final int PORT = 80;
    private static final String URI = "http://127.0.0.1:" + PORT;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /// The servers' ends of connections, in the order in which they came.
    private final List<Peer> visits = new ArrayList<>();

    private HttpClient client(Simulation network, int redirects, ClientFilter... filters) {
        visits.clear();
        network.answer(PORT, visits::add);
        var settings = ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .connections(1)
                .redirects(redirects);
        for (var filter : filters) settings = settings.filter(filter);
        return HttpClient.of(settings);
    }

    private static CompletableFuture<Response> ask(HttpClient client, Simulation network, Request request) {
        var answer = client.sendAsync(request).toCompletableFuture();
        network.advance(SECOND);
        return answer;
    }

    private static void cancel(CompletableFuture<?> answer, Simulation network) {
        assertTrue(answer.cancel(true));
        network.advance(SECOND);
        assertTrue(answer.isCancelled());
    }

    private void assertOver(Peer visit) {
        assertTrue(visit.isEnded() || visit.isReset(), "the server goes on for nobody");
    }

    @Test
    void a_request_without_a_response_ends_with_its_connection() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, 0)) {
                var answer = ask(client, network, Request.get(URI + "/a"));
                assertFalse(answer.isDone());
                cancel(answer, network);
                assertOver(visits.getFirst());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void so_does_one_in_the_middle_of_its_body_and_of_its_response() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, 0)) {
                var body = Bytes.of(new byte[1_000_000]);
                var answer = ask(client, network, Request.post(URI + "/a", body));
                visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc");
                network.advance(SECOND);
                cancel(answer, network);
                assertOver(visits.getFirst());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void one_that_waits_for_a_connection_is_never_sent() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, 0)) {
                var first = ask(client, network, Request.get(URI + "/first"));
                var second = ask(client, network, Request.get(URI + "/second"));
                cancel(second, network);
                visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                network.advance(SECOND);
                assertEquals("ok", first.join().text());
                for (var visit : visits) assertFalse(visit.received().contains("/second"), visit::received);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void one_that_was_led_elsewhere_ends_there() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, 3)) {
                var answer = ask(client, network, Request.get(URI + "/a"));
                visits.getFirst().send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
                network.advance(SECOND);
                assertTrue(visits.getLast().received().contains("GET /b "));
                cancel(answer, network);
                assertOver(visits.getLast());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void one_whose_response_is_read_as_it_arrives_ends_and_its_reader_hears_of_it() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, 0)) {
                var aborted = new ArrayList<String>();
                var answer = client.sendAsync(Request.get(URI + "/a"), reader(aborted))
                        .toCompletableFuture();
                network.advance(SECOND);
                visits.getFirst().send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc");
                network.advance(SECOND);
                cancel(answer, network);
                assertOver(visits.getFirst());
                assertEquals(List.of("abort"), aborted);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void one_that_is_timed_out_from_outside_ends_as_one_that_is_cancelled() {
        Simulation.forEachSeed(20, network -> {
            try (var client = client(network, network.random(2))) {
                var answer = ask(client, network, Request.get(URI + "/a"));
                assertTrue(answer.completeExceptionally(new TimeoutException()));
                network.advance(SECOND);
                assertOver(visits.getFirst());
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void one_that_goes_through_filters_ends_with_each_request_of_it() {
        Simulation.forEachSeed(50, network -> {
            var aborted = new ArrayList<String>();
            var sent = new ArrayList<String>();
            ClientFilter thrice = (request, next) -> {
                var again = next.send(request.setHeader("X-Try", "2"));
                return again.thenCompose(_ -> next.delay(SECOND)).thenCompose(_ -> {
                    sent.add("third");
                    return next.send(request);
                });
            };
            try (var client = client(network, 1, thrice)) {
                var answer = client.sendAsync(Request.get(URI + "/a"), reader(aborted));
                network.advance(SECOND);
                if (network.random(2) == 0) {
                    visits.getFirst().send("HTTP/1.1 503 No\r\nContent-Length: 3\r\n\r\nabc");
                    network.advance(SECOND.dividedBy(2));
                }
                cancel(answer, network);
                network.advance(SECOND.multipliedBy(3));
                assertEquals(List.of("abort"), aborted);
                assertEquals(List.of(), sent);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void the_time_of_a_call_covers_redirects_and_waits() {
        Simulation.forEachSeed(30, network -> {
            ClientFilter slow = (request, next) -> next.delay(SECOND).thenCompose(_ -> next.send(request));
            try (var client = client(network, 5, slow)) {
                var answer = client.sendAsync(Request.get(URI + "/a").timeout(SECOND.multipliedBy(3)));
                network.advance(SECOND.multipliedBy(2));
                visits.getFirst().send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
                network.advance(SECOND.dividedBy(2));
                assertFalse(answer.isDone());
                network.advance(SECOND);
                var thrown = assertThrows(CompletionException.class, answer::join);
                assertTrue(thrown.getCause() instanceof TimedOut, thrown::toString);
                Asking.assertSays("within 3000 ms (http.client.timeout)", thrown);
                network.advance(SECOND);
                assertOver(visits.getLast());
                SimulatedClient.close(client, network);
            }
        });
    }

    private static ResponseReader<String> reader(List<String> aborted) {
        return new ResponseReader<>() {
            @Override
            public void onHead(Response head) {}

            @Override
            public void onBody(io.millrace.bytes.Input part) {
                part.skip(part.remaining());
            }

            @Override
            public String onEnd() {
                return "end";
            }

            @Override
            public void onAbort() {
                aborted.add("abort");
            }
        };
    }
}
