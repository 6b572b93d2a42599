package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.http.HttpSettings;
import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How a WebSocket ends that passes through the proxy: what both ends see, to the byte.
@Tag("simulation")
class ProxiedSocketTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private static final byte[] HELLO = hex("8105 68656c6c6f");
    private static final byte[] MASKED_HELLO = hex("8185 00000000 68656c6c6f");
    private static final byte[] CLOSE_1000 = hex("8802 03e8");
    private static final byte[] MASKED_CLOSE_1000 = hex("8882 00000000 03e8");
    private static final byte[] MASKED_CLOSE_1001 = hex("8882 00000000 03e9");

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    /// A proxy, and a WebSocket through it.
    private static final class World implements AutoCloseable {
        final Simulation network;
        final Upstream upstream;
        final Server proxy;
        final Peer client;
        Peer backend;
        final List<String> served = new ArrayList<>();

        World(Simulation network, UnaryOperator<Upstream> setup) {
            this.network = network;
            var visits = new ArrayList<Peer>();
            network.answer(PORT + 1, visits::add);
            var one = Upstream.of(EndpointSource.of(List.of(Endpoint.of(Simulation.address(PORT + 1)))));
            this.upstream = setup.apply(network.random(2) == 0 ? one.upstreamLoops(network.loops()) : one);
            RequestListener told = request -> served.add(request.status() + " " + closed(request));
            this.proxy = Http.listen(network.on(PORT), HttpSettings.standard().listener(told), upstream);
            this.client = network.connect(PORT).send(RawHandshake.ASKING);
            network.advance(SECOND);
            this.backend = visits.getFirst();
            backend.send(RawHandshake.agreeing(backend.received().lines().toList()));
            network.advance(SECOND);
            assertTrue(client.received().startsWith("HTTP/1.1 101 "), client::received);
        }

        private static String closed(ServedRequest request) {
            return String.valueOf(ProxyInfo.LOG_FIELDS.of(request).get("closed"));
        }

        void advance(Duration time) {
            network.advance(time);
        }

        /// Behind the head, as hexadecimal digits.
        String clientGot() {
            return behindHead(client);
        }

        String backendGot() {
            return behindHead(backend);
        }

        private static String behindHead(Peer peer) {
            var all = new String(peer.receivedBytes(), ISO_8859_1);
            return HexFormat.of()
                    .formatHex(all.substring(all.indexOf("\r\n\r\n") + 4).getBytes(ISO_8859_1));
        }

        /// Of the frame at the end, whose mask is undone.
        int codeAtBackend() {
            var all = hex(backendGot());
            for (int at = 0; at < all.length; at += 6 + (all[at + 1] & 0x7f)) {
                assertEquals(0x80, all[at + 1] & 0x80, "it has a mask");
                if ((all[at] & 0xff) != 0x88) continue;
                return ((all[at + 6] ^ all[at + 2]) & 0xff) << 8 | ((all[at + 7] ^ all[at + 3]) & 0xff);
            }
            throw new AssertionError("no close frame in " + backendGot());
        }

        /// Begins to drain, and lets the test go on with what happens meanwhile.
        boolean drain(Duration patience, Duration later, Runnable meanwhile) {
            var _ = network.loops().next().after(later, meanwhile);
            return proxy.drain(patience);
        }

        @Override
        public void close() {
            proxy.close();
            upstream.close();
            network.advance(SECOND);
            assertEquals(0, upstream.webSockets().open());
            assertEquals(
                    0,
                    upstream.backends()
                            .orElseThrow()
                            .members()
                            .getFirst()
                            .requests()
                            .taken());
        }
    }

    private static void inWorlds(UnaryOperator<Upstream> setup, Consumer<World> scenario) {
        Simulation.forEachSeed(20, network -> {
            try (var world = new World(network, setup)) {
                scenario.accept(world);
            }
        });
    }

    private static void inWorlds(Consumer<World> scenario) {
        inWorlds(one -> one, scenario);
    }

    private static String text(int code, String reason) {
        var payload = reason.getBytes(ISO_8859_1);
        return HexFormat.of()
                        .formatHex(
                                new byte[] {(byte) 0x88, (byte) (2 + payload.length), (byte) (code >> 8), (byte) code})
                + HexFormat.of().formatHex(payload);
    }

    // What passes.

    @Test
    void a_handshake_of_the_ends_passes_as_it_is() {
        inWorlds(world -> {
            world.client.send(MASKED_HELLO);
            world.backend.send(HELLO);
            world.advance(SECOND);
            world.client.send(MASKED_CLOSE_1000);
            world.advance(SECOND);
            world.backend.send(CLOSE_1000).end();
            world.advance(SECOND);
            assertEquals("810568656c6c6f" + "880203e8", world.clientGot());
            assertEquals("81850000000068656c6c6f" + "88820000000003e8", world.backendGot());
            assertTrue(world.client.isEnded());
            world.client.end();
            world.advance(SECOND);
            assertEquals(List.of("101 client 1000"), world.served);
            var counts = world.upstream.webSockets();
            assertEquals(1, counts.total());
            assertEquals(
                    "1 1",
                    counts.fromClients().messages() + " "
                            + counts.fromBackends().messages());
            assertEquals(
                    "19 11",
                    counts.fromClients().bytes() + " " + counts.fromBackends().bytes());
        });
    }

    @Test
    void what_is_no_frame_passes_and_gets_no_close_frame() {
        inWorlds(one -> one.webSocketIdleTimeout(SECOND.multipliedBy(20)), world -> {
            world.backend.send("no frame");
            world.client.send("none either");
            world.advance(SECOND);
            world.backend.end();
            world.advance(SECOND);
            assertEquals(HexFormat.of().formatHex("no frame".getBytes(ISO_8859_1)), world.clientGot());
            assertTrue(world.client.isEnded());
            world.advance(Duration.ofMinutes(1));
            assertEquals(List.of("101 idle"), world.served);
        });
    }

    // A drain.

    @Test
    void a_drain_tells_the_client_whose_answer_is_for_the_backend() {
        inWorlds(world -> {
            boolean isDone = world.drain(
                    Duration.ofSeconds(30),
                    SECOND,
                    () -> world.client.send(MASKED_HELLO).send(MASKED_CLOSE_1001));
            assertTrue(isDone);
            world.advance(SECOND);
            assertEquals(text(1001, "the server stops"), world.clientGot());
            assertEquals("81850000000068656c6c6f" + "88820000000003e9", world.backendGot());
            assertTrue(world.client.isEnded());
            assertTrue(world.backend.isEnded());
            assertEquals(List.of("101 drain 1001"), world.served);
        });
    }

    @Test
    void a_frame_that_does_not_end_keeps_no_drain_beyond_the_idle_time() {
        inWorlds(one -> one.webSocketIdleTimeout(SECOND.multipliedBy(20)), world -> {
            world.backend.send(hex("8105 6865"));
            world.advance(SECOND);
            assertTrue(world.drain(Duration.ofMinutes(10), SECOND, () -> {}));
            world.advance(SECOND);
            assertEquals(List.of("101 idle"), world.served);
        });
    }

    @Test
    void a_client_that_does_not_answer_is_given_up_and_the_backend_gets_a_close_frame() {
        inWorlds(world -> {
            world.drain(Duration.ofSeconds(30), Duration.ofMillis(5500), () -> {});
            world.advance(SECOND);
            assertEquals(text(1001, "the server stops"), world.clientGot());
            assertEquals(1001, world.codeAtBackend());
            assertTrue(world.backend.isEnded());
            assertEquals(List.of("101 drain 1001"), world.served);
        });
    }

    @Test
    void a_frame_that_is_open_ends_first() {
        inWorlds(world -> {
            world.backend.send(hex("8105 6865"));
            world.advance(SECOND);
            world.drain(Duration.ofSeconds(30), Duration.ofSeconds(3), () -> {
                assertEquals("81056865", world.clientGot());
                world.backend.send(hex("6c6c6f 8101 78"));
                var _ = world.network.loops().next().after(SECOND, () -> world.client.send(MASKED_CLOSE_1001));
            });
            world.advance(SECOND);
            assertEquals("810568656c6c6f" + text(1001, "the server stops"), world.clientGot());
            assertEquals("88820000000003e9", world.backendGot());
        });
    }

    @Test
    void a_frame_that_never_ends_is_cut_at_the_deadline() {
        inWorlds(world -> {
            world.backend.send(hex("8105 6865"));
            world.advance(SECOND);
            assertFalse(world.proxy.drain(Duration.ofSeconds(30)));
            world.advance(SECOND);
            assertEquals("81056865", world.clientGot());
            assertEquals(List.of("101 nobody"), world.served);
        });
    }

    // What is idle.

    @Test
    void silence_of_both_ends_closes_with_1001() {
        inWorlds(world -> {
            world.advance(Duration.ofMinutes(9));
            assertEquals("", world.clientGot());
            world.advance(Duration.ofMinutes(1));
            assertEquals(text(1001, "nothing has moved for 600 s"), world.clientGot());
            world.client.send(MASKED_CLOSE_1001).end();
            world.advance(SECOND);
            assertEquals("88820000000003e9", world.backendGot());
            assertEquals(List.of("101 idle 1001"), world.served);
        });
    }

    @Test
    void a_ping_of_either_end_is_life() {
        inWorlds(world -> {
            for (int i = 0; i < 10; i++) {
                world.advance(Duration.ofMinutes(9));
                if (i % 2 == 0) world.client.send(hex("8980 00000000"));
                else world.backend.send(hex("8900"));
            }
            world.advance(Duration.ofMinutes(9));
            assertEquals(List.of(), world.served);
        });
    }

    @Test
    void silence_in_the_middle_of_a_frame_breaks_off() {
        inWorlds(world -> {
            world.backend.send(hex("8105 6865"));
            world.advance(Duration.ofMinutes(11));
            assertTrue(world.client.isReset());
            assertEquals(List.of("101 idle"), world.served);
        });
    }

    // A client that is gone.

    private static void clientGoes(Consumer<Peer> how) {
        inWorlds(world -> {
            world.client.send(MASKED_HELLO);
            world.advance(SECOND);
            how.accept(world.client);
            world.advance(SECOND);
            world.backend.end();
            world.advance(SECOND);
            assertEquals(List.of("101 client-gone"), world.served);
        });
    }

    @Test
    void a_client_that_ends_without_a_close_frame_is_not_the_backends_fault() {
        clientGoes(Peer::end);
    }

    @Test
    void a_client_that_breaks_off_is_not_the_backends_fault() {
        clientGoes(Peer::abort);
    }

    // A backend that is gone.

    private static void backendGoes(BiConsumer<World, Peer> how) {
        inWorlds(world -> {
            world.backend.send(HELLO);
            world.advance(SECOND);
            how.accept(world, world.backend);
            world.advance(SECOND);
            assertEquals("810568656c6c6f" + text(1012, "the backend has gone"), world.clientGot());
            assertTrue(world.client.isEnded());
            world.client.send(hex("8882 00000000 03f4")).end();
            world.advance(SECOND);
            assertEquals(List.of("101 backend-gone 1012"), world.served);
        });
    }

    @Test
    void a_backend_that_ends_without_a_close_frame_is_told_as_1012() {
        backendGoes((_, backend) -> backend.end());
    }

    @Test
    void a_backend_that_breaks_off_is_told_as_1012() {
        backendGoes((_, backend) -> backend.abort());
    }

    @Test
    void a_backend_that_breaks_off_within_a_frame_takes_the_client_with_it() {
        inWorlds(world -> {
            world.backend.send(hex("8105 6865"));
            world.advance(SECOND);
            world.backend.abort();
            world.advance(SECOND);
            assertEquals("81056865", world.clientGot());
            assertTrue(world.client.isReset());
            assertEquals(List.of("101 nobody"), world.served);
        });
    }

    @Test
    void a_backend_that_only_hangs_up_on_a_close_frame_has_its_answer_given() {
        inWorlds(world -> {
            world.client.send(MASKED_CLOSE_1000);
            world.advance(SECOND);
            world.backend.end();
            world.advance(SECOND);
            assertEquals("880203e8", world.clientGot());
            world.client.end();
            world.advance(SECOND);
            assertEquals(List.of("101 client 1000"), world.served);
        });
    }

    // Answers that do not come.

    @Test
    void a_backend_that_does_not_answer_has_its_answer_given() {
        inWorlds(world -> {
            world.client.send(MASKED_CLOSE_1000);
            world.advance(ANSWER);
            world.advance(SECOND);
            assertEquals("880203e8", world.clientGot());
            assertTrue(world.client.isEnded());
        });
    }

    @Test
    void a_client_that_does_not_answer_the_backend_has_its_answer_given() {
        inWorlds(world -> {
            world.backend.send(CLOSE_1000);
            world.advance(ANSWER);
            world.advance(SECOND);
            assertEquals("880203e8", world.clientGot());
            assertEquals(1000, world.codeAtBackend());
            assertTrue(world.client.isEnded());
        });
    }

    // Whatever happens when.

    @Test
    void ends_that_do_anything_at_any_time_leave_nothing() {
        Simulation.forEachSeed(200, SimulationSettings.standard().threads(1, 3), network -> {
            try (var world = new World(network, one -> one)) {
                for (int i = 0; i < 3; i++) {
                    step(world);
                    network.advance(Duration.ofNanos(network.random(3_000_000)));
                }
                var isDrained = new AtomicBoolean(world.proxy.drain(Duration.ofSeconds(20)));
                network.advance(Duration.ofMinutes(1));
                assertEquals(0, world.proxy.connections(), () -> "drained: " + isDrained);
                assertEquals(1, world.served.size());
            }
        });
    }

    private static void step(World world) {
        boolean mayClientSend = world.client.isOpen() && !world.client.isEnded();
        boolean mayBackendSend = world.backend.isOpen() && !world.backend.isEnded();
        switch (world.network.random(9)) {
            case 0 -> world.client.abort();
            case 1 -> world.backend.abort();
            case 2 -> world.client.pause();
            case 3 -> world.backend.pause();
            case 4 -> send(world.client, mayClientSend, MASKED_HELLO);
            case 5 -> send(world.backend, mayBackendSend, HELLO);
            case 6 -> send(world.client, mayClientSend, MASKED_CLOSE_1000);
            case 7 -> send(world.backend, mayBackendSend, CLOSE_1000);
            default -> send(world.backend, mayBackendSend, hex("8105 6865"));
        }
    }

    private static void send(Peer peer, boolean mayBe, byte[] frame) {
        if (mayBe) peer.send(frame);
    }

    // Figures.

    @Test
    void codes_that_mean_nothing_are_one_row_of_metrics() {
        for (var code : List.of("0000", "03e7", "03ec", "03f7", "0bb7", "1388", "ffff")) {
            inWorlds(world -> {
                var metrics = Metrics.of(UpstreamMetrics.of(() -> List.of(world.upstream), List::of));
                world.client.send(hex("8882 00000000 " + code));
                world.advance(SECOND);
                world.backend.send(CLOSE_1000).end();
                world.client.end();
                world.advance(SECOND);
                assertHas(
                        metrics,
                        "millrace_websockets_closed_total{upstream=\"upstream\",by=\"client\",code=\"other\"} 1");
            });
        }
    }

    @Test
    void metrics_show_what_is_open_and_how_the_others_have_ended() {
        inWorlds(world -> {
            var metrics = Metrics.of(UpstreamMetrics.of(() -> List.of(world.upstream), List::of));
            world.client.send(MASKED_HELLO);
            world.advance(SECOND);
            assertHas(metrics, "millrace_websockets_open{upstream=\"upstream\"} 1");
            assertHas(metrics, "millrace_websockets_total{upstream=\"upstream\"} 1");
            assertHas(metrics, "millrace_websocket_messages_total{upstream=\"upstream\",from=\"client\"} 1");
            assertHas(metrics, "millrace_websocket_bytes_total{upstream=\"upstream\",from=\"client\"} 11");
            world.client.send(hex("8882 00000000 0fa1"));
            world.advance(SECOND);
            world.backend.send(hex("8802 0fa1")).end();
            world.client.end();
            world.advance(SECOND);
            assertHas(metrics, "millrace_websockets_open{upstream=\"upstream\"} 0");
            assertHas(metrics, "millrace_websockets_closed_total{upstream=\"upstream\",by=\"client\",code=\"4xxx\"} 1");
        });
    }

    private static void assertHas(Metrics metrics, String line) {
        assertTrue(metrics.text().lines().anyMatch(line::equals), () -> line + " in\n" + metrics.text());
    }
}
