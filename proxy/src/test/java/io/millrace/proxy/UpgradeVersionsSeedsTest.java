package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.bytes.Input;
import io.millrace.http.HttpVersion;
import io.millrace.http.server.Http;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// WebSocket through three proxies, HTTP/1.1 → HTTP/2 → HTTP/2 → HTTP/1.1, on networks of many kinds: every byte and
/// every end passes, and every slab comes home.
@Tag("simulation")
class UpgradeVersionsSeedsTest {
    /// The beginning of a close frame: 1012, and twenty bytes of a reason.
    private static final byte[] GOODBYE = {(byte) 0x88, 22, 0x03, (byte) 0xf4};

    private static final int SEEDS = 20;
    private static final int PORT = 80;
    private static final int PROXIES = 3;
    private static final int LARGEST = 60_000;
    private static final int STEPS = 200;
    private static final Duration LONG = Duration.ofMinutes(10);

    /// Agrees, and sends back what comes; it ends when the other side does.
    private static final class Echo implements Handler {
        private final Connection connection;
        private final ByteArrayOutputStream head = new ByteArrayOutputStream();
        private boolean hasAgreed;

        Echo(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onInput(Input in) {
            while (!hasAgreed && !in.isEmpty()) {
                head.write(in.readByte());
                if (head.toString(ISO_8859_1).endsWith("\r\n\r\n")) agree();
            }
            connection.output().move(in);
            if (connection.isFull()) connection.pause();
        }

        private void agree() {
            hasAgreed = true;
            var lines = head.toString(ISO_8859_1).lines().toList();
            connection.output().writeUtf8(RawHandshake.agreeing(lines));
        }

        @Override
        public void onWritable() {
            connection.resume();
        }

        @Override
        public void onEnd(Connection ended) {
            connection.end();
        }
    }

    /// A client of a tunnel.
    private static final class Talk {
        private final Peer peer;
        private final byte[] words;
        private int sent;
        private boolean hasEnded;

        Talk(Simulation network) {
            this.peer = network.connect(PORT).send(RawHandshake.ASKING);
            this.words = network.randomBytes(1 + network.random(LARGEST));
            // No frame begins so: proxies add nothing to what they do not understand.
            words[0] = 'p';
        }

        void step(Simulation network) {
            int part = Math.min(words.length - sent, 1 + network.random(4000));
            if (network.random(4) == 0) peer.pause();
            else peer.resume();
            if (part > 0 && !isLost()) peer.send(Arrays.copyOfRange(words, sent, sent + part));
            sent += part;
        }

        void finish() {
            peer.resume();
            if (hasEnded || isLost()) return;
            hasEnded = true;
            if (sent < words.length) peer.send(Arrays.copyOfRange(words, sent, words.length));
            sent = words.length;
            peer.end();
        }

        private boolean isLost() {
            return peer.isReset() || peer.isRefused();
        }

        /// What came behind the head of the response.
        byte[] received() {
            var all = peer.receivedBytes();
            int end = new String(all, ISO_8859_1).indexOf("\r\n\r\n");
            return end < 0 ? new byte[0] : Arrays.copyOfRange(all, end + 4, all.length);
        }

        void assertEchoed() {
            assertTrue(peer.received().startsWith("HTTP/1.1 101 "), peer::received);
            assertArrayEquals(words, received());
            assertTrue(peer.isEnded(), peer::toString);
        }

        /// Before anything has come, a proxy says that the next one is gone, as far as a reset lets it.
        private static boolean isOnlyGoodbye(byte[] got) {
            int length = Math.min(got.length, GOODBYE.length);
            return length > 0 && Arrays.equals(got, 0, length, GOODBYE, 0, length);
        }

        /// Whatever has become of it.
        void assertNothingWrong() {
            var got = received();
            if (!peer.received().startsWith("HTTP/1.1 101 ") || isOnlyGoodbye(got)) return;
            assertArrayEquals(Arrays.copyOf(words, got.length), got);
        }
    }

    private static final class World implements AutoCloseable {
        private final Simulation network;
        private final Server backend;
        private final List<Upstream> upstreams = new ArrayList<>();
        private final List<Server> servers = new ArrayList<>();

        World(Simulation network) {
            this.network = network;
            this.backend = network.listen(PORT + PROXIES, Echo::new);
            for (int i = PROXIES - 1; i >= 0; i--) {
                var next = List.of(Endpoint.of(Simulation.address(PORT + i + 1)));
                boolean isLast = i == PROXIES - 1;
                var upstream = Upstream.of(EndpointSource.of(next))
                        .version(isLast ? HttpVersion.HTTP_1_1 : HttpVersion.HTTP_2);
                if (network.random(2) == 0) upstream = upstream.upstreamLoops(network.loops());
                upstreams.add(upstream);
                servers.add(Http.listen(network.on(PORT + i), upstream));
            }
        }

        List<Talk> talks() {
            var talks = new ArrayList<Talk>();
            for (int i = 0; i <= network.random(5); i++) talks.add(new Talk(network));
            return talks;
        }

        void ramble(List<Talk> talks, int steps) {
            for (int i = 0; i < steps; i++) {
                talks.get(network.random(talks.size())).step(network);
                network.advance(Duration.ofMillis(network.random(10)));
            }
        }

        @Override
        public void close() {
            upstreams.forEach(Upstream::close);
            servers.forEach(Server::close);
            backend.close();
            network.advance(Duration.ofSeconds(5));
        }
    }

    private static void carries(Simulation network) {
        try (var world = new World(network)) {
            var talks = world.talks();
            world.ramble(talks, 1 + network.random(STEPS));
            talks.forEach(Talk::finish);
            network.advance(LONG);
            talks.forEach(Talk::assertEchoed);
        }
    }

    @Test
    void every_byte_and_every_end_passes() {
        Simulation.forEachSeed(SEEDS, UpgradeVersionsSeedsTest::carries);
    }

    @Test
    void the_same_between_loops() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(2, 3), UpgradeVersionsSeedsTest::carries);
    }

    @Test
    void the_same_byte_by_byte() {
        Simulation.forEachSeed(SEEDS / 2, network -> {
            network.oneByteAtATime();
            try (var _ = new World(network)) {
                var talk = new Talk(network);
                talk.finish();
                network.advance(LONG);
                talk.assertEchoed();
            }
        });
    }

    @Test
    void a_client_that_breaks_off_leaves_nothing_and_disturbs_no_others() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(1, 3), network -> {
            try (var world = new World(network)) {
                var talks = world.talks();
                world.ramble(talks, network.random(STEPS));
                var broken = talks.removeFirst();
                broken.peer.abort();
                if (!talks.isEmpty()) world.ramble(talks, network.random(STEPS));
                talks.forEach(Talk::finish);
                network.advance(LONG);
                talks.forEach(Talk::assertEchoed);
                broken.assertNothingWrong();
                assertEquals(0, world.backend.connections());
            }
        });
    }

    @Test
    void resets_on_the_way_leave_nothing() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(1, 3), network -> {
            network.resets(0.3);
            try (var world = new World(network)) {
                var talks = world.talks();
                world.ramble(talks, network.random(STEPS));
                talks.forEach(Talk::finish);
                network.advance(LONG);
                talks.forEach(Talk::assertNothingWrong);
                assertEquals(0, world.backend.connections());
            }
        });
    }

    @Test
    void a_backend_that_stops_at_any_moment_leaves_nothing() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var world = new World(network)) {
                var talks = world.talks();
                world.ramble(talks, network.random(STEPS));
                world.backend.close();
                world.ramble(talks, 10);
                talks.forEach(Talk::finish);
                network.advance(LONG);
                talks.forEach(Talk::assertNothingWrong);
            }
        });
    }
}
