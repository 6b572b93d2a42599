package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.bytes.Bytes;
import io.millrace.http.door.AnyDispatch;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is wrong with one message of a connection takes nothing from those before it: they arrive, whatever the
/// network does with them, and where one breaks off the peer sees an end.
@Tag("simulation")
class BrokenResponsesTest {
    private static final int PORT = 80;
    private static final String LARGE = "0123456789".repeat(20_000);
    private static final String GOOD = "GET /good HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final Duration LONG = Duration.ofMinutes(1);

    private static HttpHandler app() {
        return request -> switch (request.path()) {
            case "/good" -> Response.ok(LARGE);
            case "/small" -> Response.ok("fine");
            case "/echo" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/chunks" -> Response.stream(200, breakingOff());
            default -> Response.stream(200, breakingOff()).length(1000);
        };
    }

    /// Some of a body, and then no more.
    private static BodyWriter breakingOff() {
        var parts = new AtomicInteger();
        return out -> {
            if (parts.incrementAndGet() > 1) throw new IOException("nothing more of it");
            out.write(Bytes.utf8("some of it"));
            return true;
        };
    }

    private static Dispatch any(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(2);
        };
    }

    /// Sends all at once, and reads only when the server has done all it can.
    private static Peer slow(Simulation network, String requests) {
        network.buffers(1 << 10, 32 << 10);
        var peer = network.connect(PORT).pause().send(requests);
        network.advance(Duration.ofSeconds(5));
        peer.resume();
        network.advance(LONG);
        return peer;
    }

    private static void assertGood(Peer peer) {
        assertFalse(peer.isReset(), () -> "reset after " + peer.receivedCount() + " bytes");
        assertTrue(peer.isEnded());
        assertTrue(peer.received().contains("\r\n\r\n" + LARGE), () -> peer.receivedCount() + " bytes");
    }

    @Test
    void one_that_breaks_off_takes_nothing_of_the_one_before() {
        for (var broken : List.of("/length", "/chunks")) {
            Simulation.forEachSeed(30, network -> {
                try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app())) {
                    var peer = slow(network, GOOD + GOOD.replace("/good", broken));
                    assertGood(peer);
                    assertTrue(peer.received().contains("some of it"));
                    assertFalse(peer.received().endsWith("0\r\n\r\n"), "it looks complete");
                }
            });
        }
    }

    /// An end would look right there.
    @Test
    void one_whose_end_is_that_of_its_connection_breaks_off_with_a_reset() {
        Simulation.forEachSeed(10, network -> {
            try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app())) {
                var peer = network.connect(PORT).send("GET /chunks HTTP/1.0\r\n\r\n");
                network.advance(LONG);
                assertTrue(peer.isReset());
            }
        });
    }

    @Test
    void a_request_that_turns_out_to_be_none_takes_nothing_of_the_response_before() {
        var broken = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n";
        Simulation.forEachSeed(30, network -> {
            try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app())) {
                assertGood(slow(network, GOOD + broken));
            }
        });
    }

    @Test
    void a_body_that_is_too_slow_takes_nothing_of_the_response_before() {
        Simulation.forEachSeed(20, network -> {
            try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app())) {
                var peer = network.connect(PORT);
                network.bandwidth(5_000);
                peer.send(GOOD + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx");
                network.advance(LONG);
                network.advance(LONG);
                assertGood(peer);
            }
        });
    }

    /// The first request is whole wherever the network cuts what is sent.
    @Test
    void requests_in_front_of_one_that_is_none_are_answered_wherever_they_are_cut() {
        var requests =
                "GET /small HTTP/1.1\r\nHost: a\r\n\r\nGET /small HTTP/1.1\r\nHost: a\r\n\r\nGET\0/ HTTP/1.1\r\n\r\n";
        Simulation.forEachSeed(3 * (requests.length() + 1), network -> {
            int at = cut(network, requests);
            try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app())) {
                var peer = network.connect(PORT).send(requests.substring(0, at));
                network.advance(Duration.ofMillis(500));
                peer.send(requests.substring(at));
                network.advance(LONG);
                assertEquals(3, peer.received().split("\r\nfine", -1).length, peer::received);
                assertTrue(peer.received().contains("HTTP/1.1 400 "), peer::received);
                assertTrue(peer.isEnded() && !peer.isReset(), "cut at " + at);
            }
        });
    }

    /// Seeds in a row cut at each place once.
    private static int cut(Simulation network, String text) {
        return Math.floorMod(network.seed(), text.length() + 1);
    }

    /// What follows a response is nobody's, and takes nothing of it.
    @Test
    void a_client_gets_a_response_whatever_follows_it_and_wherever_that_is_cut() {
        var good =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;EXT\r\nfine\r\n0\r\nHost: a\r\nX-Sum: 7\r\n\r\n"
                        .replace("EXT", "x=" + "y".repeat(300));
        for (var behind : List.of("", "nonsense\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")) {
            assertFine(good + behind);
        }
    }

    private static void assertFine(String all) {
        Simulation.forEachSeed(all.length() + 1, network -> {
            int at = cut(network, all);
            var client = SimulatedClient.startUnfiltered(network);
            var visits = new ArrayList<Peer>();
            network.answer(PORT + 1, visits::add);
            var answer = client.sendAsync(Request.get("http://127.0.0.1:" + (PORT + 1) + "/"));
            network.advance(Duration.ofSeconds(5));
            visits.getFirst().send(all.substring(0, at));
            network.advance(Duration.ofSeconds(5));
            visits.getFirst().send(all.substring(at));
            network.advance(Duration.ofSeconds(5));
            assertEquals("fine", answer.toCompletableFuture().join().text(), "cut at " + at);
            SimulatedClient.close(client, network);
        });
    }
}
