package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.http.HttpSettings;
import io.millrace.http.RequestListener;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Outcome;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A WebSocket is a connection and a request of its backend until it ends, and then no more, whatever ends it.
@Tag("simulation")
class TunnelCountsTest {
    private static final int PORT = 80;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String ASKING = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket"
            + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String CHANGED =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket"
                    + "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record World(Simulation network, Upstream upstream, Server proxy, List<Peer> visits)
            implements AutoCloseable {
        static World of(Simulation network, int backends, UnaryOperator<Upstream> setup) {
            return of(network, backends, RequestListener.NOBODY, setup);
        }

        static World of(Simulation network, int backends, RequestListener told, UnaryOperator<Upstream> setup) {
            var visits = new ArrayList<Peer>();
            var upstream = setup.apply(listed(network, backends, visits));
            var proxy = Http.listen(network.on(PORT), HttpSettings.standard().listener(told), upstream);
            return new World(network, upstream, proxy, visits);
        }

        private static Upstream listed(Simulation network, int backends, List<Peer> visits) {
            var endpoints = new ArrayList<Endpoint>();
            for (int i = 1; i <= backends; i++) {
                network.answer(PORT + i, visits::add);
                endpoints.add(Endpoint.of(Simulation.address(PORT + i)));
            }
            return Upstream.of(EndpointSource.of(endpoints)).balance(Balance.ROUND_ROBIN);
        }

        Peer ask(String request) {
            var client = network.connect(PORT).send(request);
            network.advance(SECOND);
            return client;
        }

        /// The next backend's connection agrees.
        Peer webSocket() {
            var client = ask(ASKING);
            visits.getLast().send(CHANGED);
            network.advance(SECOND);
            assertTrue(client.received().startsWith("HTTP/1.1 101 "), client::received);
            return client;
        }

        Backend backend(int number) {
            return upstream.backends().orElseThrow().members().get(number);
        }

        void assertUnderWay(int count) {
            assertEquals(count, backend(0).requests().taken(), "requests");
            assertEquals(count, backend(0).connections().taken(), "connections");
        }

        @Override
        public void close() {
            proxy.close();
            upstream.close();
            network.advance(SECOND);
            assertUnderWay(0);
        }
    }

    /// On networks of many kinds, and the connection to the backend on the client's loop or on another one.
    private static void endingBy(BiConsumer<World, Peer> end) {
        Simulation.forEachSeed(40, network -> {
            boolean isElsewhere = network.random(2) == 0;
            try (var world = World.of(network, 1, one -> isElsewhere ? one.upstreamLoops(network.loops()) : one)) {
                var client = world.webSocket();
                client.send("ping");
                network.advance(SECOND);
                world.assertUnderWay(1);
                end.accept(world, client);
                network.advance(SECOND);
                world.assertUnderWay(0);
                assertEquals(1, world.backend(0).ended(Outcome.SUCCESS));
                assertEquals(1, world.backend(0).ended());
                // What was given back can be taken once more, and no more than that.
                world.webSocket();
                world.assertUnderWay(1);
            }
        });
    }

    @Test
    void a_client_that_ends() {
        endingBy((world, client) -> {
            client.end();
            world.network.advance(SECOND);
            world.assertUnderWay(1);
            world.visits.getFirst().end();
        });
    }

    @Test
    void a_client_that_breaks_off() {
        endingBy((_, client) -> client.abort());
    }

    @Test
    void a_backend_that_ends() {
        endingBy((world, client) -> {
            world.visits.getFirst().end();
            world.network.advance(SECOND);
            client.end();
        });
    }

    @Test
    void a_backend_that_breaks_off() {
        endingBy((world, _) -> world.visits.getFirst().abort());
    }

    @Test
    void nothing_that_moves() {
        endingBy((world, _) -> {
            world.network.advance(Duration.ofMinutes(9));
            world.assertUnderWay(1);
            world.network.advance(Duration.ofMinutes(2));
        });
    }

    @Test
    void an_upstream_that_becomes_another_one_keeps_its_tunnels() {
        endingBy((world, client) -> {
            var next = Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1)))))
                    .firstByteTimeout(Duration.ofSeconds(7));
            world.upstream.become(next.settings());
            world.network.advance(SECOND);
            world.assertUnderWay(1);
            client.send("still there");
            world.network.advance(SECOND);
            assertTrue(world.visits.getFirst().received().endsWith("still there"));
            client.abort();
        });
    }

    @Test
    void a_backend_that_has_left_the_list_is_gone_with_its_last_tunnel() {
        Simulation.forEachSeed(10, network -> {
            try (var world = World.of(network, 1, one -> one)) {
                var client = world.webSocket();
                var left = world.backend(0);
                network.answer(PORT + 9, _ -> {});
                var elsewhere = EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 9))));
                world.upstream.become(UpstreamSettings.of(elsewhere));
                network.advance(SECOND);
                var backends = world.upstream.backends().orElseThrow();
                assertEquals(List.of(left), backends.leaving());
                client.abort();
                network.advance(SECOND);
                assertEquals(List.of(), backends.leaving());
            }
        });
    }

    /// Wherever it happens in the course of things.
    @Test
    void both_sides_that_leave_at_any_time_leave_nothing() {
        Simulation.forEachSeed(200, network -> {
            boolean isElsewhere = network.random(2) == 0;
            try (var world = World.of(network, 1, one -> isElsewhere ? one.upstreamLoops(network.loops()) : one)) {
                var client = world.ask(ASKING);
                world.visits.getFirst().send(CHANGED + "hello");
                network.advance(Duration.ofNanos(network.random(3_000_000)));
                if (network.random(2) == 0) client.abort();
                network.advance(Duration.ofNanos(network.random(3_000_000)));
                if (network.random(2) == 0) world.visits.getFirst().abort();
                network.advance(Duration.ofMinutes(12));
                world.assertUnderWay(0);
                assertEquals(1, world.backend(0).ended());
            }
        });
    }

    @Test
    void what_is_closed_with_its_tunnels_open_counts_none() {
        Simulation.forEachSeed(20, network -> {
            try (var world = World.of(network, 1, one -> one)) {
                world.webSocket();
                world.webSocket();
                world.assertUnderWay(2);
            }
        });
    }

    @Test
    void limits_of_connections_and_requests_hold_for_tunnels() {
        var one = UpstreamLimits.standard();
        for (var limits : List.of(one.connectionsPerBackend(1), one.connections(1))) {
            Simulation.forEachSeed(5, network -> {
                try (var world = World.of(network, 1, upstream -> upstream.limits(limits))) {
                    var first = world.webSocket();
                    var second = world.ask(GET);
                    assertEquals(1, world.visits.size());
                    first.abort();
                    network.advance(SECOND);
                    world.visits.getLast().send(OK);
                    network.advance(SECOND);
                    assertTrue(second.received().startsWith("HTTP/1.1 200 "), second::received);
                }
            });
        }
        Simulation.forEachSeed(5, network -> {
            try (var world = World.of(network, 1, upstream -> upstream.limits(one.requestsPerBackend(1)))) {
                world.webSocket();
                assertTrue(world.ask(GET).received().startsWith("HTTP/1.1 503 "));
            }
        });
    }

    @Test
    void the_least_requests_are_where_no_tunnel_is() {
        // So that there is one kept connection.
        Simulation.forEachSeed(10, SimulationSettings.standard().threads(1), network -> {
            try (var world = World.of(network, 2, one -> one.balance(Balance.LEAST_REQUESTS))) {
                world.webSocket();
                var busy = world.visits.getFirst().local();
                for (int i = 0; i < 5; i++) {
                    var client = world.ask(GET);
                    assertFalse(world.visits.getLast().local().equals(busy), "the one with the tunnel was asked");
                    world.visits.getLast().send(OK);
                    network.advance(SECOND);
                    assertTrue(client.received().startsWith("HTTP/1.1 200 "), client::received);
                }
            }
        });
    }

    @Test
    void metrics_show_tunnels_under_way_and_their_bytes_when_they_are_over() {
        Simulation.forEachSeed(5, network -> {
            var upstream = new AtomicReference<Upstream>();
            var metrics = Metrics.of(UpstreamMetrics.of(() -> List.of(upstream.get()), List::of));
            try (var world = World.of(network, 1, metrics.requests("web"), one -> one)) {
                upstream.set(world.upstream);
                var client = world.webSocket();
                client.send("12345");
                world.visits.getFirst().send("1234567");
                network.advance(SECOND);
                assertHas(metrics, "millrace_backend_requests_active{", 1);
                assertHas(metrics, "millrace_backend_connections{", 1);
                assertHas(metrics, "millrace_request_body_bytes_total{", 0);
                client.abort();
                network.advance(SECOND);
                assertHas(metrics, "millrace_backend_requests_active{", 0);
                assertHas(metrics, "millrace_request_body_bytes_total{", 5);
                assertHas(metrics, "millrace_response_body_bytes_total{", 7);
                assertHas(metrics, "millrace_requests_cut_total{", 0);
            }
        });
    }

    private static void assertHas(Metrics metrics, String name, long value) {
        var text = metrics.text();
        assertTrue(
                text.lines().anyMatch(line -> line.startsWith(name) && line.endsWith(" " + value)),
                () -> name + " " + value + " in "
                        + text.lines().filter(line -> line.startsWith(name)).toList());
    }
}
