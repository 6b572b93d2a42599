package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.bytes.Bytes;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A client on networks that shake it: whatever happens, each request ends in its own response or in an
/// exception, and nothing is left. A simulation fails by itself when a slab is missing.
@Tag("simulation")
class HttpClientSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 100_000;
    private static final String URI = "http://127.0.0.1:" + PORT;

    /// A request that was sent, and the body that answers it.
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Asked(CompletableFuture<Response> answer, byte[] expected) {
        void assertAnswered() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            assertArrayEquals(expected, answer.join().body().toArray());
        }

        /// @return whether it was
        boolean assertAnsweredOrFailed() {
            try {
                assertAnswered();
                return true;
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof NetException, () -> "no way to fail: " + e.getCause());
                return false;
            }
        }
    }

    /// Of all clients here.
    HttpVersion version() {
        return HttpVersion.NEGOTIATED;
    }

    private HttpClient start(Simulation network) {
        return SimulatedClient.start(network, version());
    }

    @Test
    void every_request_gets_its_response() {
        Simulation.forEachSeed(150, network -> {
            try (var _ = serve(network, new HashMap<>());
                    var client = SimulatedClient.startPatient(network, version())) {
                var all = askAll(network, client, 1 + network.random(40));
                network.advance(SimulatedClient.PATIENCE);
                all.forEach(Asked::assertAnswered);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void every_request_ends_whatever_the_network_does() {
        Simulation.forEachSeed(200, network -> {
            network.resets(0.2).refusals(0.05).silences(0.05);
            var served = new HashMap<Integer, Integer>();
            try (var _ = serve(network, served);
                    var client = start(network)) {
                var all = new ArrayList<Asked>();
                for (int i = 0; i < 5; i++) {
                    all.addAll(askAll(network, client, network.random(10)));
                    network.advance(Duration.ofMillis(network.random(3000)));
                }
                network.advance(Duration.ofMinutes(2));
                all.forEach(Asked::assertAnsweredOrFailed);
                SimulatedClient.close(client, network);
            }
            for (var times : served.values()) assertTrue(times <= 1, "a POST was served " + times + " times");
        });
    }

    @Test
    void a_client_that_is_closed_at_any_moment_leaves_nothing() {
        Simulation.forEachSeed(150, network -> {
            try (var _ = serve(network, new HashMap<>());
                    var client = start(network)) {
                var all = askAll(network, client, 1 + network.random(20));
                network.advance(Duration.ofMillis(network.random(300)));
                SimulatedClient.close(client, network);
                all.forEach(Asked::assertAnsweredOrFailed);
            }
        });
    }

    @Test
    void the_test_itself_may_wait() {
        Simulation.forEachSeed(100, network -> {
            network.resets(network.random(2) * 0.1);
            try (var _ = serve(network, new HashMap<>());
                    var client = start(network)) {
                for (int i = 0; i < 5; i++) assertRead(network, client);
                SimulatedClient.close(client, network);
            }
        });
    }

    private static void assertRead(Simulation network, HttpClient client) {
        var body = network.randomBytes(anyLength(network));
        int enough = network.random(3) == 0 ? network.random(body.length + 1) : LARGEST;
        try {
            var read = client.send(Request.of("PUT", URI + "/echo", Bytes.of(body)), (_, in) -> in.readNBytes(enough));
            assertArrayEquals(java.util.Arrays.copyOf(body, Math.min(enough, body.length)), read);
        } catch (IOException e) {
            assertTrue(e instanceof NetException, e::toString);
        }
    }

    @Test
    void servers_ask_servers_on_virtual_threads() {
        Simulation.forEachSeed(100, SimulationSettings.standard().carriers(0.75), network -> {
            try (var _ = serve(network, new HashMap<>());
                    var client = start(network);
                    var front = AnyDispatch.serve(
                            network.on(81),
                            Dispatch.virtual(),
                            request -> client.send(Request.get(URI + "/now?n=" + request.query())))) {
                var all = new ArrayList<CompletableFuture<Response>>();
                for (int i = 0; i < 10; i++) {
                    all.add(client.sendAsync(Request.get("http://127.0.0.1:81/?" + i))
                            .toCompletableFuture());
                }
                network.advance(Duration.ofSeconds(30));
                for (int i = 0; i < 10; i++)
                    assertEquals("answer " + i, all.get(i).join().text());
                assertTrue(front.connections() <= 10);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void bytes_that_are_almost_a_response_do_no_harm() {
        Simulation.forEachSeed(250, network -> {
            network.answer(PORT, peer -> {
                peer.send(mutated(network));
                switch (network.random(4)) {
                    case 0 -> peer.end();
                    case 1 -> peer.close();
                    case 2 -> peer.send(mutated(network));
                    default -> {}
                }
            });
            try (var client = start(network)) {
                var all = new ArrayList<CompletableFuture<Response>>();
                for (int i = 0; i < 10; i++) {
                    all.add(client.sendAsync(Request.get(URI + "/")).toCompletableFuture());
                }
                network.advance(Duration.ofMinutes(2));
                for (var answer : all) assertTrue(answer.isDone());
                SimulatedClient.close(client, network);
            }
        });
    }

    /// What a server might send, before some bytes of it become [#others].
    List<String> responses() {
        return List.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=2\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nhello");
    }

    String others() {
        return "\r\n 0:9aA,;\0";
    }

    private byte[] mutated(Simulation network) {
        var fine = responses();
        var bytes = fine.get(network.random(fine.size())).getBytes(StandardCharsets.ISO_8859_1);
        for (int i = network.random(3); i > 0; i--) {
            var others = others().getBytes(StandardCharsets.ISO_8859_1);
            bytes[network.random(bytes.length)] = others[network.random(others.length)];
        }
        return bytes;
    }

    @Test
    void the_same_seed_is_the_same_run() {
        for (long seed = 1; seed <= 10; seed++) assertEquals(fingerprint(seed), fingerprint(seed));
    }

    private long fingerprint(long seed) {
        try (var network = new Simulation(seed)) {
            network.resets(0.1);
            try (var _ = serve(network, new HashMap<>());
                    var client = start(network)) {
                var _ = askAll(network, client, 20);
                network.advance(Duration.ofMinutes(2));
                SimulatedClient.close(client, network);
            }
            return network.fingerprint();
        }
    }

    /// Some take longer than what is written at once, most are short.
    private static int anyLength(Simulation network) {
        return network.random(network.random(40) == 0 ? LARGEST : 1 << network.random(14));
    }

    // The client.

    private static List<Asked> askAll(Simulation network, HttpClient client, int count) {
        return Several.of(count, () -> ask(network, client));
    }

    private static Asked ask(Simulation network, HttpClient client) {
        int n = anyLength(network);
        return switch (network.random(6)) {
            case 0 -> later(client, Request.get(URI + "/now?n=" + n), text(n));
            case 1 -> later(client, Request.of("HEAD", URI + "/now?n=" + n, Bytes.EMPTY), new byte[0]);
            case 2 -> later(client, Request.get(URI + "/later?n=" + n), text(n));
            case 3 -> later(client, Request.get(URI + "/stream?n=" + n), zeros(n));
            case 4 -> {
                int unique = network.random(1_000_000_000);
                yield later(client, Request.post(URI + "/once?n=" + unique, Bytes.EMPTY), text(unique));
            }
            default -> {
                var body = network.randomBytes(n);
                yield later(client, Request.of("PUT", URI + "/echo", Bytes.of(body)), body);
            }
        };
    }

    private static Asked later(HttpClient client, Request request, byte[] expected) {
        return new Asked(client.sendAsync(request).toCompletableFuture(), expected);
    }

    // The server.

    private static io.millrace.Server serve(Simulation network, Map<Integer, Integer> served) {
        return Http.listen(network.on(PORT), new App(network, served));
    }

    /// @param served how often each of those that must not be repeated was
    private record App(Simulation network, Map<Integer, Integer> served) implements HttpHandler {

        @Override
        public Response handle(Request request) {
            int n = Integer.parseInt(request.parameter("n").orElse("0"));
            return switch (request.path()) {
                case "/now" -> answer(n);
                case "/later" -> Response.later(later(n));
                case "/stream" -> dated(Response.stream(200, writer(n)));
                case "/once" -> {
                    served.merge(n, 1, Integer::sum);
                    yield answer(n);
                }
                case "/echo" -> dated(Response.duplex(200, (part, out) -> out.move(part)));
                default -> Response.status(404);
            };
        }

        private CompletableFuture<Response> later(int n) {
            var response = new CompletableFuture<Response>();
            var _ = network.loops().next().after(Duration.ofMillis(n % 50), () -> response.complete(answer(n)));
            return response;
        }

        private static Response answer(int n) {
            return dated(Response.ok(Bytes.of(text(n)), "text/plain"));
        }

        /// HTTP/2 makes another length of each date.
        private static Response dated(Response response) {
            return response.addHeader("Date", "Thu, 01 Jan 1970 00:00:00 GMT");
        }
    }

    private static byte[] text(int n) {
        return ("answer " + n).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] zeros(int length) {
        return new byte[length];
    }

    private static BodyWriter writer(int length) {
        var left = new int[] {length};
        return out -> {
            int part = Math.min(left[0], 1000);
            out.write(zeros(part), 0, part);
            left[0] -= part;
            return left[0] > 0;
        };
    }
}
