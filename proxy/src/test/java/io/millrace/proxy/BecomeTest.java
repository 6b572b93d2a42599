package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.server.Http;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Backends;
import io.millrace.proxy.upstream.Outcome;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What survives a reload, row by row of the table in `docs/proxy-tables.md`, for upstreams of both layers.
@Tag("simulation")
class BecomeTest {
    private static final int PORT = 80;
    private static final int NOBODY = 84;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Health CHECKED =
            Health.tcp().interval(SECOND).ejectionFailures(3).ejectionTime(Duration.ofHours(1));
    private static final Balance SLOWLY = Balance.LEAST_REQUESTS.slowStart(Duration.ofHours(1));

    private static EndpointSource list(int... ports) {
        return EndpointSource.of(Arrays.stream(ports)
                .mapToObj(port -> Endpoint.of(Simulation.address(port)))
                .toList());
    }

    /// Backends 81 to 83 take connections, 84 does not.
    private static final class World implements AutoCloseable {
        final Simulation network;
        final Upstream upstream;
        private final Server proxy;
        final List<Peer> visits = new ArrayList<>();

        World(Simulation network, EndpointSource source, UnaryOperator<Upstream> setup) {
            this.network = network;
            for (int port = 81; port <= 83; port++) network.answer(port, visits::add);
            upstream = upstream(network, source, setup);
            proxy = Http.listen(network.on(PORT), upstream);
        }

        static Upstream upstream(Simulation network, EndpointSource source, UnaryOperator<Upstream> setup) {
            return setup.apply(Upstream.of(source).checkLoops(network.loops()));
        }

        void become(EndpointSource source, UnaryOperator<Upstream> setup) {
            upstream.become(upstream(network, source, setup).settings());
        }

        Peer ask() {
            var client = network.connect(PORT).send(GET);
            network.advance(SECOND);
            return client;
        }

        void answer(int visit) {
            visits.get(visit).send(OK);
            network.advance(SECOND);
        }

        Backends backends() {
            return upstream.backends().orElseThrow();
        }

        @Override
        public void close() {
            proxy.close();
            upstream.close();
            network.advance(Duration.ofSeconds(10));
        }
    }

    private static void inWorlds(Consumer<World> scenario) {
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(network, list(81), upstream -> upstream)) {
                scenario.accept(world);
            }
        });
    }

    private static void assertOk(Peer client) {
        assertTrue(
                client.received().startsWith("HTTP/1.1 200 ")
                        && client.received().endsWith("ok"),
                client::received);
    }

    // Health, ejections, disabled, counters, slow start.

    /// All that is known of a backend.
    private record Known(
            boolean isHealthy,
            boolean isEjected,
            long ejectedUntil,
            String cause,
            boolean isDisabled,
            boolean isAble,
            String finding,
            long successes,
            long failures,
            boolean isWarming) {
        static Known of(Backend one, long now) {
            return new Known(
                    one.isHealthy(),
                    one.isEjected(),
                    one.isEjected() ? one.ejectedUntilNanos() : 0,
                    one.ejectionCause(),
                    one.isDisabled(),
                    one.isAble(),
                    one.finding(),
                    one.ended(Outcome.SUCCESS),
                    one.ended(Outcome.RESET),
                    one.warmth(now) < 1);
        }
    }

    private static Map<SocketAddress, Backend> byAddress(Backends backends) {
        var all = new HashMap<SocketAddress, Backend>();
        for (var one : backends.members()) all.put(one.address(), one);
        return all;
    }

    private static Map<SocketAddress, Known> known(Backends backends, long now) {
        var all = new HashMap<SocketAddress, Known>();
        for (var one : backends.members()) all.put(one.address(), Known.of(one, now));
        return all;
    }

    /// 81 is ejected, 82 disabled, 83 has requests behind it and starts slowly, 84 is unhealthy.
    private static void live(Backends backends, Simulation network, long now) {
        network.advance(Duration.ofSeconds(20));
        var all = byAddress(backends);
        for (int i = 0; i < 3; i++) end(all, 81, Outcome.RESET, now);
        for (int i = 0; i < 5; i++) end(all, 83, Outcome.SUCCESS, now);
        for (boolean isDisabled : new boolean[] {true, false}) {
            assertTrue(backends.setDisabled(name(all, 83), isDisabled, now));
        }
        assertTrue(backends.setDisabled(name(all, 82), true, now));
    }

    private static void end(Map<SocketAddress, Backend> all, int port, Outcome outcome, long now) {
        var backend = at(all, port);
        assertTrue(backend.began());
        backend.ended(outcome, 1000, now);
    }

    private static String name(Map<SocketAddress, Backend> all, int port) {
        return at(all, port).toString();
    }

    private static <T> T at(Map<SocketAddress, T> all, int port) {
        return Objects.requireNonNull(all.get(Simulation.address(port)));
    }

    /// @param become called with the next source
    private static void assertAllStays(Backends backends, Simulation network, Consumer<EndpointSource> become) {
        long now = ((EventLoop) network.loops().next()).nowNanos();
        live(backends, network, now);
        var objects = byAddress(backends);
        var before = known(backends, now);
        var wanted = at(before, 81);
        assertTrue(wanted.isEjected && !wanted.isAble && wanted.failures == 3, wanted::toString);
        assertTrue(at(before, 82).isDisabled);
        assertTrue(at(before, 83).isWarming);
        assertFalse(at(before, NOBODY).isHealthy);
        for (int i = 0; i < 3; i++) {
            become.accept(i == 2 ? list(NOBODY, 83, 82, 81, 85) : list(81, 82, 83, NOBODY));
            var after = known(backends, now);
            after.remove(Simulation.address(85));
            assertEquals(before, after, "reload " + i);
        }
        assertEquals(5, backends.members().size());
        byAddress(backends).forEach((address, one) -> {
            if (objects.containsKey(address)) assertSame(objects.get(address), one);
        });
    }

    @Test
    void what_is_known_of_backends_stays_whatever_else_changes_on_layer_7() {
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(
                    network,
                    list(81, 82, 83, NOBODY),
                    upstream -> upstream.health(CHECKED).balance(SLOWLY).start())) {
                var count = new int[1];
                assertAllStays(world.backends(), network, source -> world.become(source, other(count[0]++)));
            }
        });
    }

    /// Another one each time.
    private static UnaryOperator<Upstream> other(int number) {
        return upstream -> upstream.health(number == 1 ? CHECKED.interval(Duration.ofSeconds(2)) : CHECKED)
                .balance(number == 0 ? SLOWLY : Balance.ROUND_ROBIN.slowStart(Duration.ofHours(1)))
                .limits(UpstreamLimits.standard().pending(number))
                .idleTimeout(Duration.ofSeconds(30 + number))
                .retries(new Retries(Retries.STANDARD.on(), 1 + number, Duration.ZERO, 0))
                .forwarding(Forwarding.standard().forwardedHeadersAsReceived());
    }

    @Test
    void what_is_known_of_backends_stays_whatever_else_changes_on_layer_4() {
        Simulation.forEachSeed(10, network -> {
            for (int port = 81; port <= 83; port++) network.answer(port, _ -> {});
            var upstream = layer4(network, list(81, 82, 83, NOBODY), CHECKED).start();
            assertAllStays(
                    upstream.backends().orElseThrow(),
                    network,
                    source -> upstream.become(layer4(network, source, CHECKED.interval(Duration.ofSeconds(2)))
                            .attempts(1)
                            .idleTimeout(SECOND)
                            .settings()));
            upstream.close();
            network.advance(Duration.ofSeconds(10));
        });
    }

    private static TcpUpstream layer4(Simulation network, EndpointSource source, Health health) {
        return TcpUpstream.of(source).health(health).balance(SLOWLY).checkLoops(network.loops());
    }

    // The list.

    @Test
    void a_backend_that_has_left_the_list_ends_what_it_has_and_gets_no_more() {
        inWorlds(world -> {
            var first = world.ask();
            var gone = world.backends().members().getFirst();
            world.become(list(82), upstream -> upstream);
            assertEquals(List.of(gone), world.backends().leaving());
            var second = world.ask();
            assertEquals(Simulation.address(82), world.visits.get(1).local());
            world.answer(0);
            world.answer(1);
            assertOk(first);
            assertOk(second);
            assertEquals(List.of(), world.backends().leaving());
            assertFalse(gone.began());
            assertTrue(world.visits.get(0).isEnded() || world.visits.get(0).isReset(), "nobody needs its connection");
            assertTrue(world.visits.get(1).isOpen());
        });
    }

    @Test
    void connections_that_were_kept_for_a_backend_end_when_it_leaves_the_list() {
        inWorlds(world -> {
            var client = world.ask();
            world.answer(0);
            assertOk(client);
            assertTrue(world.visits.getFirst().isOpen());
            world.become(list(82), upstream -> upstream);
            world.network.advance(SECOND);
            assertTrue(
                    world.visits.getFirst().isEnded() || world.visits.getFirst().isReset());
        });
    }

    @Test
    void the_old_list_stands_until_the_new_one_is_known() {
        inWorlds(world -> {
            var listeners = new ArrayList<Consumer<List<Endpoint>>>();
            EndpointSource silent = listener -> {
                listeners.add(listener);
                return () -> {};
            };
            var _ = world.upstream.start();
            world.become(silent, upstream -> upstream);
            var first = world.ask();
            world.answer(0);
            assertOk(first);
            listeners.getFirst().accept(List.of(Endpoint.of(Simulation.address(82))));
            var _ = world.ask();
            assertEquals(Simulation.address(82), world.visits.get(1).local());
        });
    }

    // Connections.

    @Test
    void kept_connections_stay_when_nothing_of_how_they_are_made_changes() {
        inWorlds(world -> {
            var client = world.ask();
            world.answer(0);
            world.become(
                    list(81, 82),
                    upstream -> upstream.limits(UpstreamLimits.standard().requests(7))
                            .balance(Balance.HASH)
                            .forwarding(Forwarding.standard().forwardedHeadersAsReceived())
                            .health(Health.passive().panicThresholdPercent(10)));
            world.become(list(81), upstream -> upstream);
            client.send(GET);
            world.network.advance(SECOND);
            world.answer(0);
            assertEquals(1, world.visits.size());
            assertEquals(2, client.received().split("200 OK", -1).length - 1);
        });
    }

    @Test
    void they_end_when_idle_once_their_times_change_and_what_is_under_way_goes_on() {
        inWorlds(world -> {
            var first = world.ask();
            world.become(list(81), upstream -> upstream.idleTimeout(Duration.ofSeconds(90)));
            assertTrue(world.visits.getFirst().isOpen());
            var second = world.ask();
            assertEquals(2, world.visits.size());
            assertNotSame(world.visits.get(0), world.visits.get(1));
            world.answer(0);
            assertOk(first);
            assertTrue(
                    world.visits.getFirst().isEnded() || world.visits.getFirst().isReset(), "idle, and of before");
            world.answer(1);
            assertOk(second);
            assertFalse(world.visits.get(1).isEnded());
        });
    }

    /// Its body is collected meanwhile.
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo";

    /// With one connection to the backend, and a POST that began before a reload and has no connection yet.
    private static void withPost(BiConsumer<World, Peer> scenario) {
        UnaryOperator<Upstream> one = upstream ->
                upstream.collect(100).limits(UpstreamLimits.standard().connectionsPerBackend(1));
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(network, list(81), one)) {
                var post = network.connect(PORT).send(POST);
                network.advance(SECOND);
                for (int i = 1; i <= 3; i++) {
                    var time = Duration.ofSeconds(60 + i);
                    world.become(list(81), upstream -> one.apply(upstream).idleTimeout(time));
                }
                scenario.accept(world, post);
            }
        });
    }

    @Test
    void a_request_of_before_is_not_kept_waiting_by_an_idle_connection_of_after() {
        withPost((world, post) -> {
            var get = world.ask();
            world.answer(0);
            assertOk(get);
            assertTrue(world.visits.getFirst().isOpen());
            post.send("dy");
            world.network.advance(SECOND);
            world.answer(1);
            assertOk(post);
        });
    }

    @Test
    void a_connection_that_is_made_for_a_request_of_before_ends_with_it() {
        withPost((world, post) -> {
            post.send("dy");
            world.network.advance(SECOND);
            world.answer(0);
            assertOk(post);
            var get = world.ask();
            world.answer(1);
            assertOk(get);
        });
    }

    @Test
    void connections_of_layer_4_go_on() {
        Simulation.forEachSeed(10, network -> {
            var visits = new ArrayList<Peer>();
            network.answer(81, visits::add).answer(82, visits::add);
            var upstream = layer4(network, list(81), Health.passive());
            try (var _ = Tcp.listen(network.on(PORT), upstream)) {
                var client = network.connect(PORT).send("one ");
                network.advance(SECOND);
                upstream.become(layer4(network, list(82), CHECKED)
                        .idleTimeout(SECOND.multipliedBy(5))
                        .settings());
                client.send("two");
                network.advance(SECOND);
                visits.getFirst().send("back");
                network.advance(SECOND);
                assertEquals("one two", visits.getFirst().received());
                assertEquals("back", client.received());
                client.close();
                visits.getFirst().close();
                network.advance(SECOND);
                assertEquals(List.of(), upstream.backends().orElseThrow().leaving());
            }
            upstream.close();
            network.advance(Duration.ofSeconds(10));
        });
    }

    // Limits.

    @Test
    void limits_hold_at_once_and_what_was_taken_before_counts() {
        inWorlds(world -> {
            var first = world.ask();
            world.become(
                    list(81),
                    upstream -> upstream.limits(UpstreamLimits.standard().requests(1)));
            var second = world.ask();
            assertTrue(second.received().startsWith("HTTP/1.1 503 "), second::received);
            world.answer(0);
            assertOk(first);
            var third = world.ask();
            // On whatever loop it is.
            world.answer(world.visits.size() - 1);
            assertOk(third);
        });
    }

    // Checks.

    @Test
    void checks_go_on_at_their_pace_and_begin_anew_when_health_changes() {
        Simulation.forEachSeed(10, network -> {
            UnaryOperator<Upstream> checked = upstream -> upstream.health(CHECKED.jitterPercent(0));
            try (var world = new World(
                    network, list(81), upstream -> checked.apply(upstream).start())) {
                for (int i = 0; i < 20; i++) {
                    world.become(list(81), checked);
                    network.advance(SECOND);
                }
                int before = world.visits.size();
                assertTrue(before >= 15 && before <= 21, "checks in 20 s, one a second: " + before);
                var slower = CHECKED.jitterPercent(0).interval(Duration.ofSeconds(5));
                for (int i = 0; i < 3; i++) world.become(list(81), upstream -> upstream.health(slower));
                network.advance(Duration.ofSeconds(50));
                int after = world.visits.size() - before;
                assertTrue(after >= 8 && after <= 12, "checks in 50 s, one in 5 s: " + after);
                assertTrue(world.backends().members().getFirst().isHealthy());
                world.become(list(81), upstream -> upstream.health(Health.passive()));
                int last = world.visits.size();
                network.advance(Duration.ofSeconds(50));
                assertTrue(world.visits.size() - last <= 1, "nobody checks any more");
            }
        });
    }
}
