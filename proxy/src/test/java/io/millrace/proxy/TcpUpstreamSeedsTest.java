package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.filter.Networks;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Layer 4 with several backends on networks that shake it: every byte goes to one backend and back, every place
/// at a backend is given back, every slab comes home.
@Tag("simulation")
class TcpUpstreamSeedsTest {
    private static final int CLIENTS = 80;
    private static final int BACKEND = 90;
    private static final int NOBODY = 99;
    private static final UpstreamLimits PATIENT =
            UpstreamLimits.standard().retryPercent(100).retriesPerSecond(1000);

    @Test
    void carries_both_ways_past_backends_that_are_not_there() {
        Simulation.forEachSeed(60, network -> {
            try (var world = new World(network)) {
                world.echoes().listen();
                var talks = world.talk();
                talks.forEach(Talk::finish);
                network.run();
                talks.forEach(Talk::assertEchoed);
                world.assertTold(talks);
                world.assertEmpty();
            }
        });
    }

    @Test
    void whatever_breaks_nothing_is_mixed_and_everything_is_given_back() {
        Simulation.forEachSeed(80, network -> {
            network.resets(0.3).refusals(0.2).silences(0.05);
            try (var world = new World(network)) {
                world.echoes().listen();
                var talks = world.talk();
                for (var talk : talks) {
                    talk.giveUpOrFinish();
                    network.advance(Duration.ofMillis(network.random(300)));
                }
                network.advance(Duration.ofSeconds(30));
                talks.forEach(Talk::assertPrefixEchoed);
                world.assertEmpty();
            }
        });
    }

    @Test
    void either_side_may_end_first() {
        Simulation.forEachSeed(30, network -> {
            try (var world = new World(network)) {
                var taken = new ArrayList<Peer>();
                var answer = network.randomBytes(1 + network.random(40_000));
                network.answer(BACKEND, peer -> taken.add(peer.send(answer).end()));
                world.dead(network.random(3)).alive(BACKEND).listen();
                var client = network.connect(CLIENTS);
                network.run();
                assertTrue(client.isEnded());
                var question = network.randomBytes(1 + network.random(40_000));
                client.send(question).end();
                network.run();
                assertArrayEquals(answer, client.receivedBytes());
                assertTrue(endsWith(taken.getFirst().receivedBytes(), question));
                assertEquals(
                        List.of(false, false),
                        List.of(client.isReset(), taken.getFirst().isReset()));
                world.assertEmpty();
            }
        });
    }

    /// Behind an announcement, if there is one.
    private static boolean endsWith(byte[] all, byte[] end) {
        return all.length >= end.length && Arrays.equals(all, all.length - end.length, all.length, end, 0, end.length);
    }

    @Test
    void a_backend_that_does_not_read_stops_its_client() {
        Simulation.forEachSeed(15, network -> {
            network.buffers(16 << 10, 64 << 10).chunks(512, 64 << 10);
            try (var world = new World(network)) {
                var taken = new ArrayList<Peer>();
                network.answer(BACKEND, peer -> taken.add(peer.pause()));
                world.alive(BACKEND).listen();
                var words = network.randomBytes(1 << 20);
                var client = network.connect(CLIENTS).send(words).end();
                network.run();
                assertTrue(heldBytes(network) < 800_000, () -> heldBytes(network) + " bytes are held");
                assertFalse(client.hasSentAll());
                taken.getFirst().resume().end();
                network.run();
                assertTrue(endsWith(taken.getFirst().receivedBytes(), words));
                world.assertEmpty();
            }
        });
    }

    /// What connections have received and not passed on.
    private static long heldBytes(Simulation network) {
        return network.loops().counters().stream()
                .mapToLong(loop -> loop.bytesReceived() - loop.bytesSent())
                .sum();
    }

    @Test
    void clients_for_whom_nobody_is_reached_are_reset_with_a_word() {
        Simulation.forEachSeed(15, network -> {
            long before = CoreGuards.UPSTREAM.count();
            try (var world = new World(network)) {
                world.dead(1 + network.random(4)).listen();
                var client = network.connect(CLIENTS).send("hello");
                network.advance(Duration.ofSeconds(1));
                assertTrue(client.isReset());
                assertEquals(before + 1, CoreGuards.UPSTREAM.count());
                world.assertEmpty();
            }
        });
    }

    /// A proxy, with what the seed says of it.
    private static final class World implements AutoCloseable {
        private final Simulation network;
        private final List<Endpoint> endpoints = new ArrayList<>();
        private final List<Server> servers = new ArrayList<>();

        /// What backends were told, with announcements.
        private final Set<SocketAddress> told = new HashSet<>();

        private final boolean isAnnouncing;
        private final Version version;
        private TcpUpstream upstream = TcpUpstream.of("127.0.0.1:1");

        World(Simulation network) {
            this.network = network;
            this.isAnnouncing = network.random(2) == 0;
            this.version = network.random(2) == 0 ? Version.V1 : Version.V2;
        }

        /// One to three that send everything back, and one or none that is not there.
        World echoes() {
            dead(network.random(2));
            for (int i = 1 + network.random(3); i > 0; i--) {
                var listen = network.on(BACKEND + i);
                if (isAnnouncing) listen = listen.through(ProxyProtocol.from(Networks.of("127.0.0.0/8")));
                servers.add(Tcp.listen(listen, this::echo));
                alive(BACKEND + i);
            }
            return this;
        }

        private Handler echo(Connection conn) {
            told.add(conn.remote());
            return in -> conn.output().move(in);
        }

        World alive(int port) {
            endpoints.add(Endpoint.of(Simulation.address(port)));
            return this;
        }

        World dead(int count) {
            for (int i = 0; i < count; i++) alive(NOBODY + i);
            return this;
        }

        void listen() {
            var ways = List.of(Balance.Way.values());
            var plain = TcpUpstream.of(EndpointSource.of(endpoints))
                    .balance(Balance.of(ways.get(network.random(ways.size()))))
                    .limits(PATIENT)
                    .attempts(1 + endpoints.size())
                    .connectTimeout(Duration.ofSeconds(3))
                    .idleTimeout(Duration.ofSeconds(20));
            var announcing = isAnnouncing ? plain.sendProxyProtocol(version) : plain;
            upstream = network.random(2) == 0 ? announcing.upstreamLoops(network.loops()) : announcing;
            servers.add(network.listen(CLIENTS, upstream));
        }

        List<Talk> talk() {
            var talks = new ArrayList<Talk>();
            for (int i = 1 + network.random(6); i > 0; i--) talks.add(new Talk(network));
            for (int i = network.random(30); i > 0; i--) {
                talks.get(network.random(talks.size())).goOn();
                if (network.random(4) == 0) network.advance(Duration.ofMillis(network.random(100)));
            }
            return talks;
        }

        void assertTold(List<Talk> talks) {
            if (!isAnnouncing) return;
            assertEquals(
                    Set.copyOf(talks.stream().map(talk -> talk.peer.local()).toList()), told);
        }

        void assertEmpty() {
            // Who was closed lingers for the end of a peer that is gone.
            network.advance(Duration.ofSeconds(2));
            // Unless no client has come through.
            upstream.backends().ifPresent(backends -> {
                assertEquals(0, backends.requests().taken());
                assertEquals(0, backends.connections().taken());
                for (var backend : backends.members())
                    assertEquals(0, backend.requests().taken());
            });
            for (var server : servers) assertEquals(0, server.connections());
        }

        @Override
        public void close() {
            servers.forEach(Server::close);
            upstream.close();
        }
    }

    /// A client with much to say, in pieces at any moment.
    private static final class Talk {
        private final Simulation network;
        private final Peer peer;
        private final byte[] words;
        private int said;

        Talk(Simulation network) {
            this.network = network;
            this.words = network.randomBytes(1 + network.random(1 << network.random(16)));
            this.peer = network.connect(CLIENTS);
        }

        void goOn() {
            switch (network.random(5)) {
                case 0 -> peer.pause();
                case 1 -> peer.resume();
                default -> say(network.random(words.length - said + 1));
            }
        }

        private void say(int length) {
            peer.send(Arrays.copyOfRange(words, said, said + length));
            said += length;
        }

        void finish() {
            say(words.length - said);
            peer.end().resume();
        }

        void giveUpOrFinish() {
            switch (network.random(4)) {
                case 0 -> peer.abort();
                case 1 -> peer.resume().close();
                default -> finish();
            }
        }

        void assertEchoed() {
            assertArrayEquals(words, peer.receivedBytes());
            assertTrue(peer.isEnded(), peer + " was not ended");
        }

        void assertPrefixEchoed() {
            var received = peer.receivedBytes();
            assertArrayEquals(Arrays.copyOf(words, received.length), received);
            if (peer.isEnded() && !peer.isReset()) assertEquals(said, received.length);
        }
    }
}
