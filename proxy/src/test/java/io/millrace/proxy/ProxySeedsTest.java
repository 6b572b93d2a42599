package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyDuplex;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Clients, a proxy and backends on networks that shake them: no byte of an exchange reaches another, nothing
/// that is not idempotent happens twice, every slab comes home.
@Tag("simulation")
class ProxySeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 100_000;

    /// An exchange: its body comes back, behind its number.
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Asked(int number, byte[] body, CompletableFuture<Response> answer) {
        void assertAnswered() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            var response = answer.join();
            assertEquals(200, response.status());
            assertEquals("" + number, response.header("X-Number").orElse("none"));
            assertArrayEquals(body, response.body().toArray());
        }

        /// Right, or refused by the proxy, or cut.
        void assertOver() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            try {
                int status = answer.join().status();
                if (status == 502 || status == 503 || status == 504) return;
                assertAnswered();
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof NetException, () -> "no way to fail: " + e.getCause());
            }
        }
    }

    /// The versions of HTTP that clients and backends speak.
    enum Versions {
        H1_H1(HttpVersion.HTTP_1_1, HttpVersion.HTTP_1_1),
        H1_H2(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2),
        H2_H1(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1),
        H2_H2(HttpVersion.HTTP_2, HttpVersion.HTTP_2);

        private final HttpVersion ofClients;
        private final HttpVersion ofBackends;

        Versions(HttpVersion ofClients, HttpVersion ofBackends) {
            this.ofClients = ofClients;
            this.ofBackends = ofBackends;
        }
    }

    /// What backends have seen, by number.
    private final Map<Integer, Integer> posts = new HashMap<>();

    @ParameterizedTest
    @EnumSource
    void every_request_is_answered_with_its_own_body(Versions versions) {
        Simulation.forEachSeed(40, network -> {
            try (var world = new World(network, versions)) {
                var all = world.ask(1 + network.random(12));
                network.advance(Duration.ofMinutes(1));
                all.forEach(Asked::assertAnswered);
                world.assertNothingTwice();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatever_breaks_nothing_is_mixed_and_nothing_happens_twice(Versions versions) {
        Simulation.forEachSeed(40, network -> {
            network.resets(0.1).refusals(0.1).silences(0.03);
            try (var world = new World(network, versions)) {
                var all = new ArrayList<Asked>();
                for (int i = 0; i < 4; i++) {
                    all.addAll(world.ask(network.random(6)));
                    network.advance(Duration.ofMillis(network.random(2000)));
                }
                network.advance(Duration.ofMinutes(5));
                all.forEach(Asked::assertOver);
                world.assertNothingTwice();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void clients_that_leave_at_any_moment_leave_nothing(Versions versions) {
        Simulation.forEachSeed(40, network -> {
            try (var world = new World(network, versions)) {
                var all = world.ask(1 + network.random(8));
                network.advance(Duration.ofMillis(network.random(400)));
                world.client.close();
                network.advance(Duration.ofMinutes(2));
                all.forEach(Asked::assertOver);
                assertEquals(0, world.proxy.connections());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void the_same_seed_is_the_same_run(Versions versions) {
        for (long seed = 1; seed <= 5; seed++) assertEquals(fingerprint(seed, versions), fingerprint(seed, versions));
    }

    private long fingerprint(long seed, Versions versions) {
        try (var network = new Simulation(seed)) {
            network.resets(0.1);
            try (var world = new World(network, versions)) {
                world.ask(20);
                network.advance(Duration.ofMinutes(2));
            }
            return network.fingerprint();
        }
    }

    /// Backends, a proxy and a client on one network.
    private final class World implements AutoCloseable {
        private final Simulation network;
        private final List<Server> backends = new ArrayList<>();
        private final Upstream upstream;
        private final Server proxy;
        private final HttpClient client;

        World(Simulation network, Versions versions) {
            this.network = network;
            posts.clear();
            var endpoints = new ArrayList<Endpoint>();
            for (int i = 1; i <= 1 + network.random(3); i++) {
                backends.add(Http.listen(network.on(PORT + i), new App()));
                endpoints.add(Endpoint.of(Simulation.address(PORT + i)));
            }
            // Few connections on a slow network take their time, and so does a request that it carries byte by byte.
            var same = Upstream.of(EndpointSource.of(endpoints))
                    .pendingTimeout(Duration.ofMinutes(1))
                    .firstByteTimeout(Duration.ofSeconds(30))
                    .idleTimeout(Duration.ofSeconds(5))
                    .version(versions.ofBackends)
                    .collect(network.random(3) == 0 ? network.random(LARGEST) : 0);
            var placed = network.random(2) == 0 ? same.upstreamLoops(network.loops()) : same;
            // Fewer than there are loops, so that these take turns.
            this.upstream = network.random(2) == 0
                    ? placed.limits(UpstreamLimits.standard().connectionsPerBackend(1 + network.random(2)))
                    : placed;
            this.proxy = AnyDispatch.serve(network.on(PORT), dispatch(), upstream);
            this.client = HttpClient.of(ClientSettings.standard()
                    .loops(network.loops())
                    .version(versions.ofClients)
                    .connect(host -> network.to(host.getPort()))
                    .connections(1 + network.random(5)));
        }

        private Dispatch dispatch() {
            return switch (network.random(3)) {
                case 0 -> Dispatch.virtual();
                case 1 -> Dispatch.pool(1 + network.random(2));
                default -> Dispatch.loop();
            };
        }

        List<Asked> ask(int count) {
            var all = new ArrayList<Asked>();
            for (int i = 0; i < count; i++) all.add(askOne());
            return all;
        }

        private Asked askOne() {
            int number = network.random(Integer.MAX_VALUE);
            var body = network.randomBytes(network.random(5) == 0 ? network.random(LARGEST) : network.random(500));
            var path = network.random(2) == 0 ? "/echo/" : "/whole/";
            var method = network.random(2) == 0 ? "POST" : "PUT";
            var uri = "http://127.0.0.1:" + PORT + path + number;
            var request = network.random(2) == 0
                    ? Request.of(method, uri, Bytes.of(body))
                    : Request.of(method, uri, new Written(body, 1 + network.random(20_000)));
            return new Asked(number, body, client.sendAsync(request).toCompletableFuture());
        }

        void assertNothingTwice() {
            posts.forEach((number, count) -> assertEquals(1, count, () -> "POST " + number + " came several times"));
        }

        @Override
        public void close() {
            client.close();
            proxy.close();
            upstream.close();
            backends.forEach(Server::close);
            network.advance(Duration.ofSeconds(5));
            assertEquals(
                    0, upstream.backends().map(all -> all.connections().taken()).orElse(0));
            assertEquals(
                    0, upstream.backends().map(all -> all.pending().taken()).orElse(0));
        }
    }

    /// Sends bodies back.
    private final class App implements HttpHandler {
        private final HttpHandler whole = Http.whole(
                1 << 20,
                request -> Response.ok(request.body().readBytes(request.body().remaining()), "image/png"));

        @Override
        public Response handle(Request request) throws Exception {
            int number =
                    Integer.parseInt(request.path().substring(request.path().lastIndexOf('/') + 1));
            if (request.method().equals("POST")) posts.merge(number, 1, Integer::sum);
            var response =
                    request.path().startsWith("/echo/") ? Response.duplex(200, new Echo()) : whole.handle(request);
            return response.addHeader("X-Number", "" + number);
        }
    }

    private static final class Echo implements BodyDuplex {
        @Override
        public void onBody(Input part, Output out) {
            out.move(part);
        }
    }
}
