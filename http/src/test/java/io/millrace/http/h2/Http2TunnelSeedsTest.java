package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.http.door.AnyDispatch;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Many streams of one connection that are tunnels, on networks of many kinds: each gets its own bytes back, and every
/// slab comes home.
@Tag("simulation")
class Http2TunnelSeedsTest {
    private static final int SEEDS = 20;
    private static final int PORT = 80;
    private static final int FAR = 90;
    private static final int LARGEST = 30_000;
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final String[] CONNECT = {":method", "CONNECT", ":authority", "a:80"};
    private static final String[] WEBSOCKET = {
        ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":path", "/", ":authority", "a"
    };

    private static Handler echo(Connection connection) {
        return new Handler() {
            @Override
            public void onInput(io.millrace.bytes.Input in) {
                connection.output().move(in);
                if (connection.isFull()) connection.pause();
            }

            @Override
            public void onWritable() {
                connection.resume();
            }

            @Override
            public void onEnd(Connection ended) {
                connection.end();
            }
        };
    }

    private static Server serve(Simulation network) {
        var dispatch = switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(1 + network.random(3));
        };
        var app = network.random(2) == 0
                ? TunnelApp.to(Simulation.address(FAR))
                : new TunnelApp(Simulation.address(FAR), _ -> network.loops().next());
        return AnyDispatch.serve(network.on(PORT), dispatch, app);
    }

    /// One stream.
    private static final class Talk {
        private final SimulatedHttp2Peer peer;
        private final int id;
        private final byte[] words;
        private int sent;
        private boolean hasEnded;

        Talk(Simulation network, SimulatedHttp2Peer peer) {
            this.peer = peer;
            this.id = peer.nextId();
            this.words = network.randomBytes(network.random(LARGEST));
            peer.send(new SentFrames().headers(id, false, network.random(2) == 0 ? CONNECT : WEBSOCKET));
        }

        void step(Simulation network) {
            int part = Math.min(Math.min(words.length - sent, peer.got.room(id)), 1 + network.random(4000));
            if (part > 0) send(part, false);
        }

        private void send(int part, boolean isEnd) {
            peer.got.sent(id, part);
            peer.send(new SentFrames().data(id, isEnd, Arrays.copyOfRange(words, sent, sent + part)));
            sent += part;
            hasEnded = isEnd;
        }

        /// @return whether there is more to send
        boolean finish() {
            if (hasEnded || peer.got.stream(id).isOver()) return false;
            int part = Math.min(words.length - sent, peer.got.room(id));
            if (part > 0 || sent == words.length) send(part, sent + part == words.length);
            return !hasEnded;
        }

        void assertEchoed() {
            var got = peer.got.stream(id);
            assertEquals(200, got.status, got::toString);
            assertArrayEquals(words, got.body(), got::toString);
            assertTrue(got.hasEnded, got::toString);
        }

        void assertNothingWrong() {
            var got = peer.got.stream(id).body();
            assertArrayEquals(Arrays.copyOf(words, got.length), got);
        }
    }

    private static List<Talk> talks(Simulation network, SimulatedHttp2Peer peer, int most) {
        var talks = new ArrayList<Talk>();
        for (int i = 0; i <= network.random(most); i++) talks.add(new Talk(network, peer));
        return talks;
    }

    private static void ramble(Simulation network, List<Talk> talks, int steps) {
        for (int i = 0; i < steps; i++) {
            var talk = talks.get(network.random(talks.size()));
            talk.step(network);
            network.advance(Duration.ofMillis(network.random(10)));
            talk.peer.pump();
        }
    }

    private static void finish(SimulatedHttp2Peer peer, List<Talk> talks) {
        boolean goesOn = true;
        for (int i = 0; i < 10_000 && goesOn; i++) {
            goesOn = false;
            for (var talk : talks) goesOn |= talk.finish();
            peer.settle();
        }
        peer.advance(LONG);
    }

    private static void carries(Simulation network, Consumer<Simulation> kind, int windowBytes) {
        kind.accept(network);
        var far = network.listen(FAR, Http2TunnelSeedsTest::echo);
        try (far;
                var _ = serve(network)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT, windowBytes);
            var talks = talks(network, peer, 8);
            ramble(network, talks, network.random(200));
            finish(peer, talks);
            talks.forEach(Talk::assertEchoed);
            assertEquals(0, far.connections());
        }
    }

    @Test
    void each_stream_gets_its_own_bytes() {
        Simulation.forEachSeed(SEEDS, network -> carries(network, _ -> {}, 1_000 + network.random(100_000)));
    }

    @Test
    void the_same_between_loops() {
        Simulation.forEachSeed(
                SEEDS,
                SimulationSettings.standard().threads(2, 3),
                network -> carries(network, _ -> {}, 1_000 + network.random(100_000)));
    }

    @Test
    void frames_that_come_byte_by_byte() {
        Simulation.forEachSeed(SEEDS / 4, network -> carries(network, Simulation::oneByteAtATime, 10_000));
    }

    @Test
    void windows_of_a_byte() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var _ = network.listen(FAR, Http2TunnelSeedsTest::echo);
                    var _ = serve(network)) {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1);
                int id = peer.nextId();
                peer.send(new SentFrames().headers(id, false, WEBSOCKET).data(id, true, "hello, world"));
                peer.settle();
                assertEquals("hello, world", peer.stream(id).text());
                assertTrue(peer.stream(id).hasEnded);
            }
        });
    }

    /// The same conversation, cut once at each of its bytes.
    @Test
    void frames_that_are_cut_at_each_byte() {
        var bytes = SentFrames.preface()
                .headers(1, false, WEBSOCKET)
                .data(1, false, "abc")
                .headers(3, false, CONNECT)
                .frame(Http2Codes.DATA, Http2Codes.PADDED, 1, (byte) 3, (byte) 'd', (byte) 0, (byte) 0, (byte) 0)
                .data(3, true, "xyz")
                .data(1, true)
                .toBytes();
        try (var network = new Simulation(1);
                var _ = network.listen(FAR, Http2TunnelSeedsTest::echo);
                var _ = serve(network)) {
            for (int cut = 1; cut < bytes.length; cut++) {
                var peer = network.connect(PORT).send(Arrays.copyOf(bytes, cut));
                network.run();
                peer.send(Arrays.copyOfRange(bytes, cut, bytes.length));
                network.run();
                var got = new GotFrames(Http2Codes.USUAL_WINDOW);
                got.take(peer.receivedBytes(), 0, peer.receivedCount());
                assertEquals("abcd", got.stream(1).text(), got::toString);
                assertEquals("xyz", new String(got.stream(3).body(), StandardCharsets.ISO_8859_1));
                assertTrue(got.stream(1).hasEnded && got.stream(3).hasEnded, got::toString);
                peer.close();
            }
        }
    }

    @Test
    void resets_at_any_moment_leave_the_others_right() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(1, 3), network -> {
            var far = network.listen(FAR, Http2TunnelSeedsTest::echo);
            try (far;
                    var _ = serve(network)) {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1_000 + network.random(100_000));
                var talks = talks(network, peer, 8);
                ramble(network, talks, network.random(100));
                var broken = talks.removeFirst();
                if (!peer.got.stream(broken.id).isOver())
                    peer.send(new SentFrames().reset(broken.id, Http2Codes.CANCEL));
                if (!talks.isEmpty()) ramble(network, talks, network.random(100));
                finish(peer, talks);
                talks.forEach(Talk::assertEchoed);
                broken.assertNothingWrong();
                assertEquals(0, far.connections());
            }
        });
    }

    @Test
    void a_connection_that_dies_at_any_moment_leaves_nothing() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(1, 3), network -> {
            var far = network.listen(FAR, Http2TunnelSeedsTest::echo);
            try (far;
                    var server = serve(network)) {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1_000 + network.random(100_000));
                var talks = talks(network, peer, 8);
                ramble(network, talks, network.random(100));
                if (network.random(2) == 0) peer.peer.abort();
                else peer.peer.close();
                talks.forEach(Talk::assertNothingWrong);
                network.advance(LONG);
                assertEquals(0, far.connections());
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_far_side_that_breaks_off_resets_the_stream() {
        Simulation.forEachSeed(SEEDS, SimulationSettings.standard().threads(1, 3), network -> {
            network.resets(0.3);
            var far = network.listen(FAR, Http2TunnelSeedsTest::echo);
            try (far;
                    var _ = serve(network)) {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1_000 + network.random(100_000));
                var talks = talks(network, peer, 8);
                ramble(network, talks, network.random(200));
                network.advance(LONG);
                peer.pump();
                talks.forEach(Talk::assertNothingWrong);
            }
        });
    }
}
