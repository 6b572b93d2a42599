package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.bytes.Output;
import io.millrace.http.ErrorResponses;
import io.millrace.http.Headers;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.SuspendableWriter;
import io.millrace.http.server.Http;
import io.millrace.net.NetException;
import io.millrace.proxy.Retries.Condition;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Calls in the manner of gRPC, over HTTP/2 on both sides of a proxy, on networks that shake them: each ends with its
/// own
/// messages and its own trailers, or with an error; every slab comes home.
@Tag("simulation")
class GrpcSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 100_000;
    private static final int KEPT = 20_000;

    /// A call: its messages come back, and its number in the trailers.
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Asked(int number, boolean isFailing, byte[] body, CompletableFuture<Response> answer) {
        void assertAnswered() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            var response = answer.join();
            assertEquals(200, response.status());
            assertEquals("application/grpc", response.header("Content-Type").orElse("none"));
            // What was sent of it was too much to be kept.
            boolean isTooLong = isFailing && body.length > KEPT;
            if (isTooLong && response.header("grpc-status").filter("14"::equals).isPresent()) return;
            assertArrayEquals(
                    body,
                    response.body().toArray(),
                    () -> this + " " + body.length + " got " + response.headers() + response.trailers());
            assertEquals("0", response.trailers().first("grpc-status").orElse("none"));
            assertEquals("" + number, response.trailers().first("x-number").orElse("none"));
        }

        /// Right, or unavailable, or cut.
        void assertOver() {
            assertTrue(answer.isDone(), "neither answered nor failed");
            try {
                var status = answer.join().header("grpc-status");
                if (status.filter("14"::equals).isPresent()) return;
                assertAnswered();
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof NetException, () -> "no way to fail: " + e.getCause());
            }
        }
    }

    @Test
    void every_call_ends_with_its_own_messages_and_trailers() {
        Simulation.forEachSeed(50, network -> {
            try (var world = new World(network)) {
                var all = world.ask(1 + network.random(12));
                network.advance(Duration.ofMinutes(1));
                all.forEach(Asked::assertAnswered);
            }
        });
    }

    @Test
    void whatever_breaks_no_call_gets_what_belongs_to_another() {
        Simulation.forEachSeed(50, network -> {
            network.resets(0.1).refusals(0.1).silences(0.03);
            try (var world = new World(network)) {
                var all = new ArrayList<Asked>();
                for (int i = 0; i < 4; i++) {
                    all.addAll(world.ask(network.random(6)));
                    network.advance(Duration.ofMillis(network.random(2000)));
                }
                network.advance(Duration.ofMinutes(10));
                all.forEach(Asked::assertOver);
            }
        });
    }

    @Test
    void clients_that_cancel_at_any_moment_leave_nothing() {
        Simulation.forEachSeed(60, network -> {
            try (var world = new World(network)) {
                var all = world.ask(2 + network.random(8));
                network.advance(Duration.ofMillis(network.random(400)));
                var cancelled = all.subList(0, 1 + network.random(all.size() - 1));
                cancelled.forEach(call -> call.answer().cancel(true));
                network.advance(Duration.ofMinutes(2));
                all.subList(cancelled.size(), all.size()).forEach(Asked::assertAnswered);
            }
        });
    }

    @Test
    void a_client_that_is_silent_for_long_keeps_its_call_and_no_other_request() {
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(network)) {
                var call = new Silent();
                var other = new Silent();
                var answer = world.client.sendAsync(world.silent(call, "application/grpc"));
                var refused = world.client.sendAsync(world.silent(other, "text/plain"));
                network.advance(Duration.ofSeconds(40));
                call.goOn();
                other.goOn();
                network.advance(Duration.ofSeconds(5));
                assertEquals("..", answer.toCompletableFuture().join().text());
                assertThrows(CompletionException.class, refused.toCompletableFuture()::join);
            }
        });
    }

    /// A body of two parts, with a long time between them.
    private static final class Silent implements SuspendableWriter {
        private final AtomicInteger due = new AtomicInteger(1);
        private volatile Runnable news = () -> {};
        private int written;

        @Override
        public void opened(Runnable toTell) {
            news = toTell;
        }

        void goOn() {
            due.set(2);
            news.run();
        }

        @Override
        public boolean write(Output out) {
            for (; written < due.get(); written++) out.writeUtf8(".");
            return written < 2;
        }

        @Override
        public Headers trailers() {
            return Headers.EMPTY;
        }
    }

    /// Backends, a proxy and a client on one network.
    private static final class World implements AutoCloseable {
        private final Simulation network;
        private final List<Server> backends = new ArrayList<>();
        private final Map<String, Integer> calls = new HashMap<>();
        private final Upstream upstream;
        private final Server proxy;
        private final HttpClient client;

        World(Simulation network) {
            this.network = network;
            var endpoints = new ArrayList<Endpoint>();
            for (int i = 1; i <= 2; i++) {
                backends.add(Http.listen(network.on(PORT + i), app()));
                endpoints.add(Endpoint.of(Simulation.address(PORT + i)));
            }
            var same = Upstream.of(UpstreamSettings.of(endpoints))
                    .version(HttpVersion.HTTP_2)
                    .retries(new Retries(Set.of(Condition.UNAVAILABLE), 2, Duration.ZERO, KEPT))
                    .limits(UpstreamLimits.standard().retryPercent(100).retriesPerSecond(1000))
                    .firstByteTimeout(Duration.ofSeconds(30))
                    .idleTimeout(Duration.ofMinutes(1));
            this.upstream = network.random(2) == 0 ? same.upstreamLoops(network.loops()) : same;
            this.proxy = Http.listen(
                    network.on(PORT),
                    HttpSettings.standard().errors(ErrorResponses.grpc(ErrorResponses.PHRASES)),
                    upstream);
            this.client = HttpClient.of(ClientSettings.standard()
                    .loops(network.loops())
                    .version(HttpVersion.HTTP_2)
                    // A small call may stand behind 100 KB on a network of 1.5 KB/s.
                    .firstByteTimeout(Duration.ofMinutes(1))
                    .connect(host -> network.to(host.getPort())));
        }

        List<Asked> ask(int count) {
            var all = new ArrayList<Asked>();
            for (int i = 0; i < count; i++) all.add(askOne());
            return all;
        }

        Request silent(Silent body, String type) {
            return Request.of("POST", "http://127.0.0.1:" + PORT + "/echo/0", body)
                    .addHeader("Content-Type", type);
        }

        private Asked askOne() {
            int number = network.random(Integer.MAX_VALUE);
            boolean isFailing = network.random(4) == 0;
            var body = network.randomBytes(network.random(5) == 0 ? network.random(LARGEST) : network.random(500));
            var request = Request.of(
                            "POST",
                            "http://127.0.0.1:" + PORT + (isFailing ? "/fails/" : "/echo/") + number,
                            new Written(body, 1 + network.random(20_000)))
                    .addHeader("Content-Type", "application/grpc")
                    .addHeader("TE", "trailers")
                    .trailers(() -> Headers.EMPTY.with("grpc-status", "0").with("x-number", "" + number));
            return new Asked(number, isFailing, body, client.sendAsync(request).toCompletableFuture());
        }

        /// Sends messages and trailers back; some calls fail at once, the first time that they come.
        private HttpHandler app() {
            return request -> {
                boolean isToFail =
                        request.path().startsWith("/fails/") && calls.merge(request.path(), 1, Integer::sum) == 1;
                var fields = Headers.EMPTY.with("Content-Type", "application/grpc");
                if (isToFail) return BuiltResponse.of(200, fields.with("grpc-status", "14"), Body.Whole.NONE);
                var received = ReceivedRequest.behind(request);
                if (received == null) throw new IllegalStateException("a request of this program");
                var pipe = new BodyPipe(received.loop(), received::wake);
                pipe.pausing();
                var relay = new Relay(Optional.of(pipe), pipe::onClose);
                relay.respond(BuiltResponse.of(200, fields, new Body.Stream(pipe, Body.UNKNOWN)));
                return BuiltResponse.of(200, new Body.Relayed(relay));
            };
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
        }
    }
}
