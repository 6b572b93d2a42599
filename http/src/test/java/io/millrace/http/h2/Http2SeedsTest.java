package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Servers of HTTP/2 on networks of many kinds: whatever they do, each stream gets its own body, whole and in order,
/// and every slab comes home.
@Tag("simulation")
class Http2SeedsTest {
    private static final int SEEDS = 20;
    private static final int PORT = SimulatedApp.PORT;

    /// Until everything is over, what is left to timeouts too.
    private static final Duration LONG = Duration.ofMinutes(10);

    /// Not so small that a server takes it for an attack to open it again and again.
    private static int anyWindow(Simulation network) {
        return switch (network.random(4)) {
            case 0 -> 2_000 + network.random(500);
            case 1 -> Http2Codes.USUAL_WINDOW;
            case 2 -> 1 << 20;
            default -> 2_000 + network.random(20_000);
        };
    }

    private static SimulatedAsker asker(Simulation network, int windowBytes, int largest) {
        return new SimulatedAsker(network, SimulatedHttp2Peer.connect(network, PORT, windowBytes), largest);
    }

    @Test
    void streams_of_all_kinds_get_their_own_bodies() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var _ = SimulatedApp.serve(network)) {
                var askers = new ArrayList<SimulatedAsker>();
                for (int i = 0; i <= network.random(3); i++) askers.add(asker(network, anyWindow(network), 5_000));
                for (int round = 0; round < 3; round++) {
                    for (var asker : askers) asker.ask(1 + network.random(15));
                    for (int i = 0; i < 30; i++) for (var asker : askers) asker.step();
                }
                for (var asker : askers) asker.finish();
                for (var asker : askers) asker.assertGotAll();
            }
        });
    }

    @Test
    void a_hundred_streams_of_mixed_sizes_and_a_slow_reader() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var _ = SimulatedApp.serve(network)) {
                var asker = asker(network, 8_000, 20_000);
                asker.ask(100);
                for (int i = 0; i < 20; i++) {
                    if (network.random(2) == 0) asker.peer.peer.pause();
                    asker.step();
                    network.advance(Duration.ofMillis(network.random(50)));
                    asker.peer.peer.resume();
                }
                asker.finish();
                asker.assertGotAll();
            }
        });
    }

    @Test
    void windows_of_a_byte() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var _ = SimulatedApp.serve(network)) {
                var asker = asker(network, 1, 60);
                asker.ask(10);
                asker.finish();
                asker.assertGotAll();
            }
        });
    }

    @Test
    void frames_that_come_byte_by_byte() {
        Simulation.forEachSeed(SEEDS, network -> {
            network.oneByteAtATime();
            try (var _ = SimulatedApp.serve(network)) {
                var asker = asker(network, 1_000, 300);
                asker.ask(10);
                asker.finish();
                asker.assertGotAll();
            }
        });
    }

    /// The same conversation, cut once at each of its bytes.
    @Test
    void frames_that_are_cut_at_each_byte() {
        var frames = SentFrames.preface(Http2Codes.WINDOW, 10)
                .get(1, "/now?n=20")
                .post(3, "/duplex")
                .data(3, false, "abc")
                .frame(Http2Codes.DATA, Http2Codes.PADDED, 3, (byte) 3, (byte) 'd', (byte) 0, (byte) 0, (byte) 0)
                .frame(
                        Http2Codes.HEADERS,
                        Http2Codes.END_STREAM,
                        5,
                        SentFrames.fields(":method", "POST", ":scheme", "http"))
                .frame(Http2Codes.CONTINUATION, 0, 5)
                .frame(
                        Http2Codes.CONTINUATION,
                        Http2Codes.END_HEADERS,
                        5,
                        SentFrames.fields(":path", "/whole", ":authority", "a"))
                .settings(Http2Codes.WINDOW, 1000)
                .ping("12345678")
                .frame(0xb, 0, 0, new byte[20])
                .headers(3, true, "x-trailer", "y");
        var bytes = frames.toBytes();
        try (var network = new Simulation(1);
                var _ = SimulatedApp.serve(network)) {
            for (int cut = 1; cut < bytes.length; cut++) {
                var peer = network.connect(PORT).send(Arrays.copyOf(bytes, cut));
                network.run();
                peer.send(Arrays.copyOfRange(bytes, cut, bytes.length));
                network.run();
                var got = new GotFrames(1000);
                got.take(peer.receivedBytes(), 0, peer.receivedCount());
                assertEquals(20, got.stream(1).bodyBytes(), got::toString);
                assertEquals("abcd", got.stream(3).text());
                assertTrue(got.stream(3).hasEnded && got.stream(5).hasEnded, got::toString);
                assertEquals(List.of("12345678"), got.pongs);
                peer.close();
            }
        }
    }

    // Ends at any moment.

    @Test
    void resets_of_streams_at_any_moment_leave_the_others_right() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var _ = SimulatedApp.serve(network)) {
                var asker = asker(network, anyWindow(network), 5_000);
                asker.ask(30);
                for (int i = 0; i < 60; i++) {
                    asker.step();
                    if (network.random(5) == 0) asker.giveUpOne();
                    if (network.random(10) == 0) asker.ask(1);
                }
                asker.finish();
                asker.assertGotAll();
                asker.assertGotNothingWrong();
                assertEquals(GotStream.NO_RESET, asker.peer.got.goAwayCode);
            }
        });
    }

    @Test
    void a_connection_that_dies_at_any_moment_leaves_nothing() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = SimulatedApp.serve(network)) {
                for (int i = 0; i < 5; i++) {
                    var asker = asker(network, anyWindow(network), 5_000);
                    asker.ask(20);
                    int steps = network.random(80);
                    for (int k = 0; k < steps; k++) asker.step();
                    if (network.random(2) == 0) asker.peer.peer.abort();
                    else asker.peer.peer.close();
                    asker.assertGotNothingWrong();
                }
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void resets_on_the_way_leave_nothing() {
        Simulation.forEachSeed(SEEDS, network -> {
            network.resets(0.5);
            try (var server = SimulatedApp.serve(network)) {
                for (int i = 0; i < 5; i++) {
                    var asker = asker(network, anyWindow(network), 5_000);
                    asker.ask(10);
                    for (int k = 0; k < 100 && !asker.isDone(); k++) asker.step();
                    asker.assertGotNothingWrong();
                }
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_peer_that_says_goodbye_at_any_moment_gets_what_it_has_asked_for() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = SimulatedApp.serve(network)) {
                var asker = asker(network, anyWindow(network), 5_000);
                asker.ask(20);
                int steps = network.random(60);
                for (int i = 0; i < steps; i++) asker.step();
                asker.peer.send(new SentFrames().goAway(0, Http2Codes.NO_ERROR));
                asker.finish();
                asker.assertGotAll();
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_drain_at_any_moment_serves_what_has_begun() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = SimulatedApp.serve(network)) {
                var asker = asker(network, 1 << 20, 3_000);
                asker.peer.got.more(0, 1 << 24);
                asker.peer.flush();
                asker.ask(1 + network.random(20));
                int steps = network.random(60);
                for (int i = 0; i < steps; i++) asker.step();
                assertTrue(server.drain(Duration.ofMinutes(5)));
                network.run();
                asker.peer.pump();
                asker.assertGotNothingWrong();
                asker.assertGotUpTo(asker.peer.got.goAwayLastId);
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }
}
