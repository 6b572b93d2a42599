package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.net.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a server does for all its connections together.
@Tag("simulation")
class ServerSeedsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Test
    void a_drain_ends_idle_connections_behind_their_answers() {
        Simulation.forEachSeed(60, network -> {
            var handlers = Watched.handlers(EchoSeedsTest.ECHO);
            var dispatches = List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
            var server = Tcp.listen(network.on(7).dispatch(dispatches.get(network.random(3))), handlers);
            var talks = Talk.some(network, 7);
            Talk.ramble(network, talks);
            talks.forEach(talk -> talk.peer.resume());
            network.run();
            // A real peer closes when the server has ended.
            for (var talk : talks) closeWhenEnded(network, talk.peer);
            assertTrue(server.drain(PATIENCE));
            network.run();
            talks.forEach(Talk::assertAllSaidEchoed);
            assertEquals(0, server.connections());
            assertEquals(0, handlers.open());
            assertTrue(refuses(network));
        });
    }

    private static void closeWhenEnded(Simulation network, Peer peer) {
        network.loops().next().after(Duration.ofMillis(10), () -> {
            if (peer.isEnded()) peer.close();
            else closeWhenEnded(network, peer);
        });
    }

    private static boolean refuses(Simulation network) {
        var late = network.connect(7);
        network.run();
        return late.isRefused();
    }

    @Test
    void a_drain_tells_sessions_that_it_is_time() {
        Simulation.forEachSeed(60, SimulationSettings.standard().carriers(0.5), network -> {
            var served = new ArrayList<String>();
            var server = network.serve(7, conn -> {
                while (conn.read()) conn.output().move(conn.input());
                conn.output().writeUtf8("bye");
                served.add("one");
            });
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 5; i++) peers.add(network.connect(7).send("hello "));
            network.run();
            for (var peer : peers) closeWhenEnded(network, peer);
            assertTrue(server.drain(PATIENCE));
            network.run();
            for (var peer : peers) assertEquals("hello bye", peer.received());
            assertEquals(5, served.size());
        });
    }

    @Test
    void a_drain_aborts_who_does_not_end_in_time() {
        Simulation.forEachSeed(40, network -> {
            var handlers = Watched.handlers(Stubborn::new);
            var server = network.listen(7, handlers);
            var peer = network.connect(7).send("hello");
            network.run();
            var before = network.now();
            assertFalse(server.drain(PATIENCE));
            assertTrue(network.now().minus(before).compareTo(PATIENCE) >= 0);
            network.run();
            assertEquals(List.of("Reset"), handlers.ends);
            assertTrue(peer.isReset());
        });
    }

    /// Does not mind that the server stops.
    private record Stubborn(Connection conn) implements io.millrace.net.Handler {
        @Override
        public void onInput(io.millrace.bytes.Input in) throws IOException {
            conn.output().move(in);
        }

        @Override
        public void onDrain(Connection conn) {}
    }

    @Test
    void no_more_connections_than_allowed_are_served_and_all_get_their_turn() {
        Simulation.forEachSeed(60, network -> {
            int most = 1 + network.random(4);
            var handlers = Watched.handlers(EchoSeedsTest.ECHO);
            var server = Tcp.listen(network.on(7).maxConnections(most), handlers);
            var talks = new ArrayList<Talk>();
            for (int i = 0; i < 12; i++) talks.add(new Talk(network, 7));
            talks.forEach(Talk::finish);
            for (int i = 0; i < 3000 && handlers.ends.size() < 12; i++) {
                network.advance(Duration.ofMillis(10));
                assertTrue(handlers.open() <= most, handlers.open() + " at a time");
            }
            network.run();
            talks.forEach(Talk::assertEchoed);
            assertEquals(0, server.connections());
        });
    }

    @Test
    void connections_are_spread_over_the_loops() {
        Simulation.forEachSeed(40, SimulationSettings.standard().threads(3), network -> {
            var loops = new HashSet<String>();
            boolean isShared = network.random(2) == 0;
            Tcp.listen(network.on(7).reusePort(isShared), conn -> {
                assert conn.loop().inLoop();
                loops.add(conn.loop().toString());
                return in -> conn.output().move(in);
            });
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 30; i++) peers.add(network.connect(7).send("hello"));
            network.run();
            for (var peer : peers) assertEquals("hello", peer.received());
            assertEquals(3, loops.size());
        });
    }

    @Test
    void a_group_hears_what_one_says() {
        Simulation.forEachSeed(40, network -> {
            var group = new ArrayList<Connection>();
            network.listen(7, conn -> {
                // One loop keeps the list, whichever loop the connection is on.
                var keeper = network.loops().next();
                group.add(conn);
                return in -> {
                    var text = in.readUtf8(in.remaining());
                    for (var member : group)
                        member.loop().execute(() -> member.output().writeUtf8(text));
                    assert keeper != null;
                };
            });
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 20; i++) peers.add(network.connect(7));
            network.run();
            for (int i = 0; i < 20; i++) peers.get(i).send("x".repeat(network.random(200)));
            int length = 0;
            network.run();
            for (var peer : peers) length = Math.max(length, peer.receivedCount());
            for (var peer : peers) assertEquals(length, peer.receivedCount());
        });
    }

    @Test
    void a_server_that_closes_resets_its_connections() {
        Simulation.forEachSeed(60, network -> {
            var handlers = Watched.handlers(EchoSeedsTest.ECHO);
            var server = network.listen(7, handlers);
            var talks = Talk.some(network, 7);
            Talk.ramble(network, talks);
            server.close();
            network.run();
            talks.forEach(Talk::assertPrefixEchoed);
            for (var talk : talks) assertFalse(talk.peer.isOpen(), talk.peer + " is open");
            assertEquals(0, handlers.open());
        });
    }

    @Test
    void loops_short_of_memory_go_on_when_there_is_some() {
        Simulation.forEachSeed(20, SimulationSettings.standard().memory(4 << 20).threads(1), network -> {
            var talks = new ArrayList<Talk>();
            var handlers = Watched.handlers(EchoSeedsTest.ECHO);
            Tcp.listen(network.on(7).inputLimit(1 << 20), handlers);
            for (int i = 0; i < 100; i++) talks.add(new Talk(network, 7));
            Talk.ramble(network, talks);
            Talk.finishAll(talks);
            network.advance(Duration.ofSeconds(5));
            talks.forEach(Talk::assertEchoed);
            assertEquals(100, handlers.ends.size());
        });
    }
}
