package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Server;
import io.millrace.http.Headers;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.memory.MemoryConnection;
import io.millrace.http.memory.MemoryStream;
import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A proxy whose clients speak a version that it does not know, many exchanges on one connection: with seeds.
@Tag("simulation")
class ProxiedExchangesSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 20_000;
    private static final int MOST_STEPS = 1_000_000;

    /// One of many, whose body comes back.
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    private record Asked(MemoryStream stream, byte[] body) {}

    @Test
    void each_exchange_is_answered_with_its_own_body() {
        Simulation.forEachSeed(40, network -> {
            try (var world = new World(network)) {
                var all = world.ask();
                world.play(all, false);
                for (var asked : all) {
                    assertEquals(MemoryStream.State.OVER, asked.stream.state(), asked.stream::toString);
                    assertEquals(200, asked.stream.status(), asked.stream::toString);
                    assertArrayEquals(asked.body, world.received(asked), asked.stream::toString);
                }
            }
        });
    }

    @Test
    void exchanges_that_are_given_up_disturb_no_others() {
        Simulation.forEachSeed(40, network -> {
            network.resets(0.05);
            try (var world = new World(network)) {
                var all = world.ask();
                world.play(all, true);
                for (var asked : all) {
                    if (asked.stream.status() != 200) continue;
                    var got = world.received(asked);
                    var expected = asked.stream.state() == MemoryStream.State.OVER
                            ? asked.body
                            : Arrays.copyOf(asked.body, got.length);
                    assertArrayEquals(expected, got, asked.stream::toString);
                }
            }
        });
    }

    /// A backend, a proxy, and the peer in front of it.
    private static final class World implements AutoCloseable {
        private final Simulation network;
        private final Server backend;
        private final Upstream upstream;
        private final MemoryConnection connection;

        World(Simulation network) {
            this.network = network;
            // Many exchanges take turns, and for some that is seconds: what is slow is no matter here.
            var patient = HttpLimits.standard().bodyBytesPerSecond(0);
            this.backend =
                    Http.listen(network.on(PORT + 1), HttpSettings.standard().limits(patient), new App());
            var endpoints = List.of(Endpoint.of(Simulation.address(PORT + 1)));
            this.upstream = Upstream.of(EndpointSource.of(endpoints)).pendingTimeout(Duration.ofMinutes(1));
            this.connection = new MemoryConnection(network, PORT, patient, upstream);
        }

        List<Asked> ask() {
            return Stream.generate(this::askOne).limit(1 + network.random(8)).toList();
        }

        private Asked askOne() {
            var body = network.randomBytes(network.random(LARGEST));
            var target = network.random(2) == 0 ? "/duplex" : "/whole";
            var fields = Headers.builder().add("Host", "a").build();
            return new Asked(connection.stream("POST", target, fields, body), body);
        }

        void play(List<Asked> all, boolean mayBreak) {
            for (int i = 0; i < MOST_STEPS && !areOver(all); i++)
                connection.step(all.get(network.random(all.size())).stream, mayBreak);
            network.advance(Duration.ofMinutes(10));
            connection.assertNothingThrown();
        }

        private static boolean areOver(List<Asked> all) {
            return all.stream().allMatch(asked -> asked.stream.state() != MemoryStream.State.OPEN);
        }

        byte[] received(Asked asked) {
            connection.onLoop(() -> asked.stream.take(Integer.MAX_VALUE));
            return asked.stream.received();
        }

        @Override
        public void close() {
            upstream.close();
            backend.close();
            network.advance(Duration.ofSeconds(5));
        }
    }

    /// Sends bodies back.
    private static final class App implements HttpHandler {
        private static final HttpHandler WHOLE = Http.whole(
                1 << 20,
                request -> Response.ok(request.body().readBytes(request.body().remaining()), "image/png"));

        @Override
        public Response handle(Request request) throws Exception {
            if (request.path().equals("/duplex")) return Response.duplex(200, (part, out) -> out.move(part));
            return WHOLE.handle(request);
        }
    }
}
