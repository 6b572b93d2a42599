package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.HttpVersion;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.raw.FrameText;
import io.millrace.http.server.Http;
import io.millrace.loop.CoreGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Backend;
import io.millrace.proxy.upstream.Outcome;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How long each phase of an exchange may take, with the times that are in force when nobody chooses any; and
/// who is blamed. The rows are those of the table in `docs/proxy-tables.md`.
@Tag("simulation")
class TimesTest {
    private static final int PORT = 80;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String BEGUN = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
    private static final Duration SECOND = Duration.ofSeconds(1);

    /// A proxy in front of backends that do what the test says.
    private static final class World implements AutoCloseable {
        private final Simulation network;
        private final Upstream upstream;
        private final Server proxy;

        /// What backends see: the connections to them, in the order in which they came.
        private final List<Peer> visits = new ArrayList<>();

        World(Simulation network, int backends, HttpLimits limits, UnaryOperator<Upstream> setup) {
            this.network = network;
            var endpoints = new ArrayList<Endpoint>();
            for (int i = 1; i <= backends; i++) {
                network.answer(PORT + i, visits::add);
                endpoints.add(Endpoint.of(Simulation.address(PORT + i)));
            }
            upstream = setup.apply(Upstream.of(EndpointSource.of(endpoints)).balance(Balance.ROUND_ROBIN));
            proxy = Http.listen(network.on(PORT), HttpSettings.standard().limits(limits), upstream);
        }

        World(Simulation network, UnaryOperator<Upstream> setup) {
            this(network, 1, HttpLimits.standard(), setup);
        }

        Peer ask(String request) {
            var client = network.connect(PORT).send(request);
            network.advance(SECOND);
            return client;
        }

        Peer visit(int number) {
            return visits.get(number);
        }

        /// What backends have been asked, all together.
        long requests() {
            return visits.stream()
                    .mapToLong(visit -> visit.received()
                            .lines()
                            .filter(line -> line.contains(" HTTP/1.1"))
                            .count())
                    .sum();
        }

        Backend backend() {
            return upstream.backends().orElseThrow().members().getFirst();
        }

        void assertBlamed(Outcome outcome) {
            assertEquals(1, backend().ended(outcome), () -> "of outcome " + outcome + ": " + outcomes());
            long failures = 0;
            for (var other : Outcome.values())
                if (other.isFailure()) failures += backend().ended(other);
            assertEquals(outcome.isFailure() ? 1 : 0, failures, this::outcomes);
        }

        private String outcomes() {
            var text = new StringBuilder();
            for (var outcome : Outcome.values())
                text.append(outcome)
                        .append(' ')
                        .append(backend().ended(outcome))
                        .append(' ');
            return text.toString();
        }

        @Override
        public void close() {
            proxy.close();
            upstream.close();
            network.advance(SECOND);
        }
    }

    /// On networks of all kinds, with nothing chosen.
    private static void inWorlds(Consumer<World> scenario) {
        inWorlds(upstream -> upstream, scenario);
    }

    private static void inWorlds(UnaryOperator<Upstream> setup, Consumer<World> scenario) {
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(network, setup)) {
                scenario.accept(world);
            }
        });
    }

    private static void assertStatus(int status, Peer client) {
        assertTrue(client.received().startsWith("HTTP/1.1 " + status + " "), client::received);
    }

    // The request.

    @Test
    void an_upload_takes_as_long_as_it_takes_while_it_goes_on() {
        inWorlds(world -> {
            var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 75000\r\n\r\n");
            for (int i = 0; i < 150; i++) {
                client.send(new byte[500]);
                world.network.advance(SECOND);
            }
            world.visit(0).send(OK);
            world.network.advance(SECOND);
            assertStatus(200, client);
            world.assertBlamed(Outcome.SUCCESS);
        });
    }

    @Test
    void a_client_that_sends_no_more_of_its_body_is_to_blame() {
        inWorlds(world -> {
            var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx");
            world.network.advance(Duration.ofMinutes(2));
            assertTrue(client.isReset() || client.isEnded());
            world.assertBlamed(Outcome.ABANDONED);
        });
    }

    @Test
    void a_backend_of_HTTP2_that_answers_no_PING_is_to_blame_though_the_client_sends_no_more() {
        Simulation.forEachSeed(10, network -> {
            var limits = HttpLimits.standard().bodyBytesPerSecond(0);
            try (var world = new World(network, 1, limits, upstream -> upstream.version(HttpVersion.HTTP_2))) {
                var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx");
                world.visit(0).send(FrameText.HELLO.getBytes(StandardCharsets.ISO_8859_1));
                network.advance(Duration.ofSeconds(30));
                assertStatus(504, client);
                world.assertBlamed(Outcome.TIMED_OUT);
            }
        });
    }

    /// With a refusal it is told that its connection ends, and need not send the rest (RFC 9112 section 9.6).
    @Test
    void a_client_that_sends_no_more_of_its_body_once_it_is_refused_gets_the_whole_refusal() {
        long before = HttpGuards.BODY_RATE.count();
        inWorlds(world -> {
            var client = world.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            client.send(new byte[10_000]);
            world.network.advance(SECOND);
            world.visit(0).send("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 30; i++) {
                world.network.advance(SECOND);
                world.visit(0).send("1\r\nx\r\n");
            }
            world.visit(0).send("0\r\n\r\n");
            world.network.advance(SECOND);
            assertTrue(client.received().endsWith("1\r\nx\r\n".repeat(30) + "0\r\n\r\n"), client::received);
            world.assertBlamed(Outcome.SUCCESS);
        });
        assertEquals(before, HttpGuards.BODY_RATE.count());
    }

    @Test
    void where_a_body_may_come_as_slowly_as_it_likes_the_backends_times_do_not_run_meanwhile() {
        Simulation.forEachSeed(10, network -> {
            var limits = HttpLimits.standard().bodyBytesPerSecond(0);
            try (var world = new World(network, 1, limits, upstream -> upstream)) {
                var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx");
                network.advance(Duration.ofMinutes(10));
                client.send("y");
                network.advance(SECOND);
                world.visit(0).send(OK);
                network.advance(SECOND);
                assertStatus(200, client);
                world.assertBlamed(Outcome.SUCCESS);
            }
        });
    }

    @Test
    void a_backend_that_takes_nothing_of_a_body_is_to_blame() {
        inWorlds(world -> {
            world.network.buffers(1 << 10, 64 << 10);
            var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            world.visit(0).pause();
            client.send(new byte[1_000_000]);
            world.network.advance(Duration.ofSeconds(50));
            assertEquals("", client.received());
            // What the network still holds arrives first, and is progress.
            world.network.advance(Duration.ofSeconds(40));
            assertStatus(504, client);
            world.assertBlamed(Outcome.TIMED_OUT);
        });
    }

    // The response.

    @Test
    void a_response_may_take_a_minute_whenever_its_connection_was_used_last() {
        inWorlds(world -> {
            var client = world.ask(GET);
            world.visit(0).send(OK);
            world.network.advance(Duration.ofSeconds(45));
            client.send(GET);
            world.network.advance(Duration.ofSeconds(50));
            world.visit(0).send(OK);
            world.network.advance(SECOND);
            assertEquals(2, client.received().split("200 OK", -1).length - 1);
            assertEquals(1, world.visits.size());
        });
    }

    @Test
    void a_backend_that_does_not_begin_to_answer_is_to_blame_after_a_minute() {
        inWorlds(world -> {
            var client = world.ask(GET);
            world.network.advance(Duration.ofSeconds(58));
            assertEquals("", client.received());
            world.network.advance(Duration.ofSeconds(3));
            assertStatus(504, client);
            world.assertBlamed(Outcome.TIMED_OUT);
            assertEquals(1, world.requests());
        });
    }

    @Test
    void a_first_byte_may_take_longer_than_anything_may_be_idle() {
        inWorlds(upstream -> upstream.firstByteTimeout(Duration.ofMinutes(5)), world -> {
            var client = world.ask(GET);
            world.network.advance(Duration.ofMinutes(4));
            world.visit(0).send(OK);
            world.network.advance(SECOND);
            assertStatus(200, client);
        });
    }

    @Test
    void a_response_takes_as_long_as_it_takes_while_it_goes_on() {
        inWorlds(world -> {
            var client = world.ask(GET);
            world.visit(0).send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                world.network.advance(Duration.ofSeconds(55));
                world.visit(0).send("x");
            }
            world.network.advance(SECOND);
            assertTrue(client.received().endsWith("x".repeat(20)));
            world.assertBlamed(Outcome.SUCCESS);
        });
    }

    @Test
    void a_backend_that_stops_in_the_middle_of_a_response_is_to_blame() {
        inWorlds(world -> {
            var client = world.ask(GET);
            world.visit(0).send(BEGUN + "some of it");
            world.network.advance(Duration.ofSeconds(58));
            assertFalse(client.isEnded());
            world.network.advance(Duration.ofSeconds(5));
            assertTrue(client.isEnded());
            assertTrue(client.received().endsWith("some of it"));
            world.assertBlamed(Outcome.TIMED_OUT);
        });
    }

    @Test
    void a_client_that_takes_its_time_gets_all_of_a_response() {
        inWorlds(world -> {
            world.network.buffers(1 << 10, 64 << 10);
            var client = world.ask(GET);
            world.visit(0).send(BEGUN).send(new byte[1_000_000]);
            for (int i = 0; i < 5; i++) {
                client.pause();
                world.network.advance(Duration.ofSeconds(50));
                client.resume();
                world.network.advance(SECOND);
            }
            world.network.advance(Duration.ofMinutes(1));
            assertTrue(client.receivedCount() > 1_000_000, () -> client.receivedCount() + " bytes");
            world.assertBlamed(Outcome.SUCCESS);
        });
    }

    @Test
    void a_client_that_takes_nothing_is_to_blame() {
        inWorlds(world -> {
            world.network.buffers(1 << 10, 64 << 10);
            var client = world.ask(GET).pause();
            world.visit(0).send(BEGUN).send(new byte[1_000_000]);
            world.network.advance(Duration.ofMinutes(3));
            assertTrue(client.isReset());
            world.assertBlamed(Outcome.ABANDONED);
        });
    }

    @Test
    void a_client_that_leaves_in_the_middle_of_a_response_says_nothing_about_the_backend() {
        inWorlds(world -> {
            var client = world.ask(GET);
            world.visit(0).send(BEGUN + "some of it");
            world.network.advance(SECOND);
            client.abort();
            world.network.advance(SECOND);
            world.visit(0).send(new byte[100_000]);
            world.network.advance(SECOND);
            world.assertBlamed(Outcome.ABANDONED);
        });
    }

    // Waiting.

    /// Nothing of its body is awaited before.
    @Test
    void a_client_that_waits_to_be_asked_for_its_body_is_not_slow_while_no_connection_is_free() {
        var one = UpstreamLimits.standard().connections(1);
        inWorlds(upstream -> upstream.limits(one).pendingTimeout(Duration.ofMinutes(5)), world -> {
            world.ask(GET);
            var client = world.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
            world.network.advance(Duration.ofSeconds(50));
            assertEquals("", client.received());
            world.visit(0).send(OK);
            world.network.advance(Duration.ofSeconds(3));
            assertStatus(100, client);
            client.send("body");
            world.network.advance(SECOND);
            world.visits.getLast().send(OK);
            world.network.advance(SECOND);
            assertTrue(client.received().endsWith("ok"), client::received);
        });
    }

    @Test
    void who_waits_for_a_connection_is_told_after_a_while() {
        var one = UpstreamLimits.standard().connections(1);
        inWorlds(upstream -> upstream.limits(one), world -> {
            world.ask(GET);
            var second = world.ask(GET);
            world.network.advance(Duration.ofSeconds(8));
            assertEquals("", second.received());
            world.network.advance(Duration.ofSeconds(2));
            assertStatus(503, second);
            assertTrue(second.received().contains("Retry-After: 1"));
            world.assertBlamed(Outcome.ABANDONED);
        });
    }

    @Test
    void a_backend_whose_connections_are_busy_is_not_one_that_cannot_be_reached() {
        var one = UpstreamLimits.standard().connections(1);
        var quick = new Retries(Set.of(), 1, Duration.ofSeconds(3), 0);
        inWorlds(upstream -> upstream.limits(one).retries(quick), world -> {
            world.ask(GET);
            world.visit(0).send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
            world.network.advance(SECOND);
            var second = world.ask(GET);
            world.network.advance(Duration.ofSeconds(3));
            assertStatus(503, second);
            assertTrue(second.received().contains("Retry-After: 1"));
            world.assertBlamed(Outcome.ABANDONED);
        });
    }

    @Test
    void a_whole_exchange_has_one_deadline_with_all_its_attempts() {
        Simulation.forEachSeed(10, network -> {
            var often = new Retries(Set.of(Retries.Condition.TIMEOUT), 5, Duration.ofMillis(700), 0);
            UnaryOperator<Upstream> setup = upstream -> upstream.retries(often).timeout(Duration.ofSeconds(2));
            try (var world = new World(network, 5, HttpLimits.standard(), setup)) {
                var client = world.ask(GET);
                assertEquals("", client.received());
                network.advance(Duration.ofMillis(1500));
                assertStatus(504, client);
                assertEquals(3, world.requests());
            }
        });
    }

    @Test
    void the_time_of_an_attempt_ends_with_the_head_of_its_response() {
        var quick = new Retries(Set.of(), 1, Duration.ofSeconds(3), 0);
        inWorlds(upstream -> upstream.retries(quick), world -> {
            var client = world.ask(GET);
            world.visit(0).send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
            world.network.advance(Duration.ofSeconds(30));
            world.visit(0).send("ok");
            world.network.advance(SECOND);
            assertTrue(client.received().endsWith("ok"));
        });
    }

    // Another protocol.

    @Test
    void a_websocket_lives_while_one_side_sends_something() {
        inWorlds(world -> {
            var client = webSocket(world);
            for (int i = 0; i < 8; i++) {
                world.network.advance(Duration.ofMinutes(6));
                client.send("ping");
            }
            world.network.advance(SECOND);
            assertTrue(world.visit(0).received().endsWith("ping".repeat(8)));
            for (int i = 0; i < 8; i++) {
                world.network.advance(Duration.ofMinutes(6));
                world.visit(0).send("tick");
            }
            world.network.advance(SECOND);
            assertTrue(client.received().endsWith("tick".repeat(8)));
        });
    }

    @Test
    void a_websocket_ends_when_nothing_moves_either_way() {
        inWorlds(world -> {
            var client = webSocket(world);
            world.network.advance(Duration.ofSeconds(598));
            assertTrue(client.isOpen() && !client.isEnded());
            // 1001, and 5 s for an answer.
            world.network.advance(Duration.ofSeconds(10));
            assertTrue(client.received().contains("nothing has moved for 600 s"), client::received);
            assertTrue(client.isEnded());
            assertEquals(0, world.backend().ended(Outcome.TIMED_OUT));
        });
    }

    private static Peer webSocket(World world) {
        var asked = """
                GET / HTTP/1.1
                Host: a
                Connection: Upgrade
                Upgrade: websocket
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

                """;
        var changed = """
                HTTP/1.1 101 Switching Protocols
                Connection: Upgrade
                Upgrade: websocket
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=

                """;
        var client = world.ask(asked.replace("\n", "\r\n"));
        world.visit(0).send(changed.replace("\n", "\r\n"));
        world.network.advance(SECOND);
        assertStatus(101, client);
        return client;
    }

    // Kept connections.

    @Test
    void a_kept_connection_ends_without_a_word() {
        inWorlds(world -> {
            long before = acted();
            var client = world.ask(GET);
            world.visit(0).send(OK);
            world.network.advance(Duration.ofSeconds(52));
            assertTrue(world.visit(0).isEnded());
            assertStatus(200, client);
            assertEquals(before, acted());
        });
    }

    private static long acted() {
        long all = 0;
        for (var guard : List.of(CoreGuards.READ_TIMEOUT, CoreGuards.IDLE_TIMEOUT, HttpGuards.CLIENT_PROGRESS))
            all += guard.count();
        return all;
    }

    /// It has sent the request when it hears that the backend had closed.
    private static Peer askOnStale(World world, String request) {
        return askOnKept(world, request, SECOND);
    }

    /// Its backend ends so long after the request, and has not answered.
    private static Peer askOnKept(World world, String request, Duration after) {
        var client = world.ask(GET);
        world.visit(0).send(OK);
        world.network.advance(SECOND);
        client.send(request);
        world.network.advance(after);
        world.visit(0).abort();
        world.network.advance(SECOND);
        return client;
    }

    @Test
    void what_meets_a_connection_that_was_closed_is_sent_again_on_a_new_one() {
        inWorlds(world -> {
            var client = askOnStale(world, GET);
            world.visit(1).send(OK);
            world.network.advance(SECOND);
            assertEquals(2, client.received().split("200 OK", -1).length - 1);
            assertEquals(1, world.upstream.backends().orElseThrow().retries().retries());
            world.assertBlamed(Outcome.STALE);
        });
    }

    @Test
    void a_backend_that_dies_while_it_works_is_blamed_on_a_kept_connection_too() {
        inWorlds(world -> {
            var client = askOnKept(world, GET, SECOND.multipliedBy(3));
            assertTrue(client.received().contains("502 Bad Gateway"), client::received);
            world.assertBlamed(Outcome.RESET);
        });
    }

    @Test
    void a_backend_that_does_not_wait_for_a_slow_client_is_not_blamed() {
        inWorlds(world -> {
            var client = askOnKept(
                    world,
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n0123456789",
                    SECOND.multipliedBy(3));
            assertTrue(client.received().contains("502 Bad Gateway"), client::received);
            world.assertBlamed(Outcome.STALE);
        });
    }

    @Test
    void what_meets_a_connection_that_was_closed_goes_to_another_backend_if_there_is_one() {
        Simulation.forEachSeed(10, network -> {
            try (var world = new World(network, 2, HttpLimits.standard(), upstream -> upstream.balance(Balance.HASH))) {
                var client = askOnStale(world, GET);
                world.visit(1).send(OK);
                network.advance(SECOND);
                assertEquals(2, client.received().split("200 OK", -1).length - 1);
                assertNotEquals(world.visit(0).local(), world.visit(1).local());
            }
        });
    }

    @Test
    void nothing_is_sent_again_where_one_attempt_is_all() {
        var once = new Retries(Set.of(Retries.Condition.RESET), 1, Duration.ZERO, 0);
        inWorlds(upstream -> upstream.retries(once), world -> {
            var client = askOnStale(world, "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertTrue(client.received().contains("HTTP/1.1 502 "));
            assertEquals(2, world.requests());
        });
    }

    @Test
    void nothing_is_sent_again_without_a_retry_left() {
        var none = UpstreamLimits.standard().retryPercent(0).retriesPerSecond(0);
        inWorlds(upstream -> upstream.limits(none), world -> {
            var client = askOnStale(world, "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertTrue(client.received().contains("HTTP/1.1 502 "));
            assertEquals(2, world.requests());
        });
    }

    @Test
    void a_post_is_never_sent_again() {
        inWorlds(world -> {
            var client = askOnStale(world, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
            assertTrue(client.received().contains("HTTP/1.1 502 "));
            assertEquals(2, world.requests());
        });
    }

    @Test
    void a_backends_own_503_is_passed_on_when_no_retry_is_left() {
        Simulation.forEachSeed(10, network -> {
            var on = new Retries(Set.of(Retries.Condition.STATUS_503), 3, Duration.ZERO, 0);
            var none = UpstreamLimits.standard().retryPercent(0).retriesPerSecond(0);
            try (var world = new World(
                    network,
                    2,
                    HttpLimits.standard(),
                    upstream -> upstream.retries(on).limits(none))) {
                var client = world.ask(GET);
                world.visit(0).send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy");
                network.advance(SECOND);
                assertStatus(503, client);
                assertTrue(client.received().endsWith("busy"));
            }
        });
    }
}
