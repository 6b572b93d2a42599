package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tunnel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A tunnel passes on every byte, every end and every wish to wait, whichever loops its two sides are on.
@Tag("simulation")
class TunnelSeedsTest {
    private static final int CLIENTS = 80;
    private static final int BACKEND = 90;

    @Test
    void carries_both_ways() {
        Simulation.forEachSeed(150, TunnelSeedsTest::assertCarries);
    }

    @Test
    void carries_both_ways_between_loops() {
        Simulation.forEachSeed(150, SimulationSettings.standard().threads(2, 3), TunnelSeedsTest::assertCarries);
    }

    private static void assertCarries(Simulation network) {
        var backend = Watched.handlers(EchoSeedsTest.ECHO);
        network.listen(BACKEND, backend);
        var tunnel = Watched.handlers(tunnel(network));
        network.listen(CLIENTS, tunnel);
        var talks = Talk.some(network, CLIENTS);
        Talk.ramble(network, talks);
        Talk.finishAll(talks);
        talks.forEach(Talk::assertEchoed);
        assertEquals(Collections.nCopies(talks.size(), Watched.ORDERLY), tunnel.ends);
        assertEquals(Collections.nCopies(talks.size(), Watched.ORDERLY), backend.ends);
    }

    private static Tunnel tunnel(Simulation network) {
        var tunnel = Tunnel.to(Simulation.address(BACKEND));
        return network.random(2) == 0 ? tunnel : tunnel.upstreamLoops(network.loops());
    }

    @Test
    void either_side_may_end_first() {
        Simulation.forEachSeed(150, network -> {
            var backends = new ArrayList<Peer>();
            var answer = network.randomBytes(1 + network.random(40_000));
            network.answer(BACKEND, peer -> backends.add(peer.send(answer).end()));
            network.listen(CLIENTS, tunnel(network));
            var client = network.connect(CLIENTS);
            network.run();
            assertTrue(client.isEnded());
            var question = network.randomBytes(1 + network.random(40_000));
            client.send(question).end();
            network.run();
            assertArrayEquals(answer, client.receivedBytes());
            assertArrayEquals(question, backends.getFirst().receivedBytes());
            assertTrue(backends.getFirst().isEnded());
            assertFalseAnyReset(client, backends.getFirst());
        });
    }

    private static void assertFalseAnyReset(Peer client, Peer backend) {
        assertEquals(List.of(false, false), List.of(client.isReset(), backend.isReset()));
    }

    @Test
    void a_backend_that_does_not_read_stops_the_client() {
        Simulation.forEachSeed(40, network -> {
            var backends = new ArrayList<Peer>();
            network.answer(BACKEND, peer -> backends.add(peer.pause()));
            network.buffers(16 << 10, 64 << 10).chunks(512, 64 << 10);
            network.listen(CLIENTS, tunnel(network));
            var words = network.randomBytes(2 << 20);
            var client = network.connect(CLIENTS).send(words).end();
            network.run();
            assertTrue(heldBytes(network) < 1 << 20, () -> heldBytes(network) + " bytes are held");
            backends.getFirst().resume();
            network.run();
            assertArrayEquals(words, backends.getFirst().receivedBytes());
            backends.getFirst().end();
            network.run();
            assertTrue(client.isEnded());
        });
    }

    @Test
    void small_pieces_that_wait_pin_little_memory() {
        Simulation.forEachSeed(40, network -> {
            network.chunks(1, 2000).buffers(4 << 10, 16 << 10).partialWrites(0);
            network.answer(BACKEND, Peer::pause);
            network.listen(CLIENTS, tunnel(network));
            network.connect(CLIENTS).send(network.randomBytes(200_000));
            network.run();
            long held = heldBytes(network);
            assertTrue(held > 100_000, () -> held + " bytes are held");
            long pinned = network.loops().counters().stream()
                    .mapToLong(loop -> loop.slabBytesInUse())
                    .sum();
            assertTrue(pinned < 2 << 20, () -> pinned + " bytes of slabs for " + held);
        });
    }

    /// What connections have received and not passed on.
    private static long heldBytes(Simulation network) {
        return network.loops().counters().stream()
                .mapToLong(loop -> loop.bytesReceived() - loop.bytesSent())
                .sum();
    }

    @Test
    void a_refused_backend_resets_the_client() {
        Simulation.forEachSeed(50, network -> {
            network.refusals(0.5).answer(BACKEND, Peer::end);
            var clients = Watched.handlers(tunnel(network));
            var server = network.listen(CLIENTS, clients);
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 10; i++)
                peers.add(network.connect(CLIENTS).send("hello").end());
            network.run();
            for (var peer : peers) assertTrue(peer.isRefused() || peer.isReset() || peer.isEnded());
            assertEquals(0, server.connections());
            assertEquals(0, clients.open());
        });
    }

    @Test
    void a_silent_backend_is_given_up_in_time() {
        Simulation.forEachSeed(50, network -> {
            network.delays(Duration.ofMillis(10), Duration.ofMillis(10)).answer(BACKEND, Peer::end);
            network.listen(CLIENTS, tunnel(network).connectTimeout(Duration.ofSeconds(3)));
            var client = network.connect(CLIENTS);
            network.advance(Duration.ofMillis(25));
            // The client's question has been answered, the tunnel's has not arrived.
            network.silences(1);
            network.advance(Duration.ofMillis(2_900));
            assertTrue(client.isOpen());
            network.advance(Duration.ofMillis(300));
            assertTrue(client.isReset());
        });
    }

    @Test
    void resets_pass_through_and_leave_nothing_behind() {
        Simulation.forEachSeed(200, network -> {
            network.resets(0.4).refusals(0.1);
            var backend = Watched.handlers(EchoSeedsTest.ECHO);
            network.listen(BACKEND, backend);
            var clients = Watched.handlers(tunnel(network));
            var server = network.listen(CLIENTS, clients);
            var talks = Talk.some(network, CLIENTS);
            Talk.ramble(network, talks);
            Talk.giveUp(network, talks);
            talks.forEach(Talk::assertPrefixEchoed);
            assertEquals(0, server.connections());
            assertEquals(0, clients.open());
            assertEquals(0, backend.open());
        });
    }

    @Test
    void many_clients_share_a_tunnel() {
        Simulation.forEachSeed(8, network -> {
            network.listen(BACKEND, EchoSeedsTest.ECHO);
            var server = network.listen(CLIENTS, tunnel(network));
            var talks = new ArrayList<Talk>();
            for (int i = 0; i < 100; i++) talks.add(new Talk(network, CLIENTS));
            Talk.ramble(network, talks);
            Talk.finishAll(talks);
            talks.forEach(Talk::assertEchoed);
            assertEquals(0, server.connections());
        });
    }
}
