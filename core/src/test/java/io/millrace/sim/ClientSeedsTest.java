package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.LoopCounters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Connections that Millrace opens itself.
@Tag("simulation")
class ClientSeedsTest {
    @Test
    void clients_in_callback_style_hear_what_they_said() {
        Simulation.forEachSeed(100, network -> {
            network.listen(7, EchoSeedsTest.ECHO);
            var clients = Watched.handlers(conn -> {
                var words = network.randomBytes(1 + network.random(20_000));
                var heard = new ByteArrayOutputStream();
                conn.output().write(words, 0, words.length);
                return in -> {
                    heard.writeBytes(in.readBytes(in.remaining()).toArray());
                    if (heard.size() < words.length) return;
                    assertArrayEquals(words, heard.toByteArray());
                    conn.close();
                };
            });
            for (int i = 0; i < 10; i++) Tcp.connect(network.to(7), clients);
            network.run();
            assertEquals(Collections.nCopies(10, Watched.ORDERLY), clients.ends);
        });
    }

    @Test
    void a_client_comes_from_the_address_it_was_given() {
        Simulation.forEachSeed(20, network -> {
            var from = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.7"), network.random(2) * 5000);
            var heard = new ArrayList<InetSocketAddress>();
            network.listen(7, conn -> {
                heard.add((InetSocketAddress) conn.remote());
                return in -> {};
            });
            Tcp.connect(network.to(7).from(from), EchoSeedsTest.ECHO);
            network.run();
            assertEquals(from.getAddress(), heard.getFirst().getAddress());
            if (from.getPort() != 0) assertEquals(from, heard.getFirst());
        });
    }

    @Test
    void sessions_ask_backends() {
        Simulation.forEachSeed(100, network -> assertForwarded(network, 0));
    }

    @Test
    void sessions_without_carriers_ask_backends() {
        Simulation.forEachSeed(60, SimulationSettings.standard().carriers(0), network -> assertForwarded(network, 0));
    }

    @Test
    void sessions_survive_what_happens_to_backends() {
        Simulation.forEachSeed(
                150, SimulationSettings.standard().carriers(0.7), network -> assertForwarded(network, 0.3));
    }

    private static void assertForwarded(Simulation network, double troubles) {
        network.resets(troubles).refusals(troubles);
        network.listen(8, EchoSeedsTest.ECHO);
        var ended = new int[1];
        var server = network.serve(7, conn -> {
            try (var backend = Tcp.connect(network.to(8))) {
                while (conn.read()) exchange(conn, backend);
            } finally {
                ended[0]++;
            }
        });
        var talks = Talk.some(network, 7);
        Talk.finishAll(talks);
        network.advance(Duration.ofSeconds(3));
        for (var talk : talks) {
            if (troubles == 0) talk.assertEchoed();
            else talk.assertBeginningEchoed();
        }
        assertEquals(0, server.connections());
        if (troubles == 0) assertEquals(talks.size(), ended[0]);
        assertTrue(network.loops().counters().stream().allMatch(loop -> loop.connections() == 0));
    }

    /// Asks the backend and waits for all of its answer.
    private static void exchange(BlockingConnection client, BlockingConnection backend) throws IOException {
        long missing = client.input().remaining();
        backend.output().move(client.input());
        while (missing > 0 && backend.read()) {
            missing -= backend.input().remaining();
            client.output().move(backend.input());
        }
    }

    @Test
    void a_host_is_reached_at_whatever_address_answers() {
        Simulation.forEachSeed(200, network -> {
            network.listen(7, EchoSeedsTest.ECHO);
            network.silences(0.3).refusals(0.3).resets(0.1);
            var addresses = Collections.nCopies(1 + network.random(5), InetAddress.getLoopbackAddress());
            var clients = Watched.handlers(conn -> {
                conn.output().writeUtf8("hello");
                return in -> conn.close();
            });
            var attempts = new ArrayList<CompletionStage<Connection>>();
            for (int i = 0; i < 10; i++) {
                var to = Connect.to("somebody", 7).resolver(_ -> addresses).loops(network.loops());
                attempts.add(Tcp.connect(to.timeout(Duration.ofSeconds(3)), clients));
            }
            network.advance(Duration.ofSeconds(10));
            for (var attempt : attempts)
                assertTrue(attempt.toCompletableFuture().isDone());
            assertEquals(
                    0,
                    network.loops().counters().stream()
                            .mapToLong(LoopCounters::timers)
                            .sum());
        });
    }

    @Test
    void the_test_itself_is_a_client() {
        Simulation.forEachSeed(60, network -> {
            network.serve(7, EchoSeedsTest.DIRECT_ECHO);
            var clients = new ArrayList<BlockingConnection>();
            for (int i = 0; i < 3; i++) clients.add(Tcp.connect(network.to(7)));
            for (var client : clients) assertEquals(List.of(true), echoes(network, client));
            for (var client : clients) client.close();
            network.run();
        });
    }

    private static List<Boolean> echoes(Simulation network, BlockingConnection client) throws IOException {
        var words = network.randomBytes(1 + network.random(1 << network.random(17)));
        client.output().write(words, 0, words.length);
        client.end();
        var heard = new ByteArrayOutputStream();
        while (client.read()) {
            heard.writeBytes(
                    client.input().readBytes(client.input().remaining()).toArray());
        }
        assertArrayEquals(words, heard.toByteArray());
        return List.of(true);
    }
}
