package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.server.Http;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A response that is known to be the last of its connection says `Connection: close` (RFC 9112 section 9.6).
@Tag("simulation")
class LastResponsesTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String UPLOAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nsome";

    private static final String SHORT = UPLOAD.replace("100000", "10");
    private static final String CHUNKED =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n";

    private static Dispatch any(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(2);
        };
    }

    private static Peer asked(Simulation network, HttpHandler app, String request) {
        try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app)) {
            var peer = network.connect(PORT).send(request);
            network.advance(SECOND);
            return peer;
        }
    }

    private static void assertLast(int status, Peer peer) {
        assertTrue(peer.received().startsWith("HTTP/1.1 " + status + " "), peer::received);
        assertTrue(peer.received().contains("\r\nConnection: close\r\n"), peer::received);
    }

    /// However the handler answers.
    private static List<Response> ways(int status) {
        return List.of(
                Response.status(status),
                Response.stream(status, out -> write(out)).length(2),
                Response.stream(status, out -> write(out)),
                Response.duplex(status, (part, out) -> out.move(part)),
                Response.later(CompletableFuture.completedFuture(Response.status(status))));
    }

    private static boolean write(Output out) {
        out.write(Bytes.utf8("no"));
        return false;
    }

    @Test
    void a_refusal_in_front_of_the_end_of_its_request_is() {
        for (int status : new int[] {300, 307, 403, 413, 417, 500}) {
            for (int way = 0; way < ways(status).size(); way++) {
                int chosen = way;
                Simulation.forEachSeed(
                        3,
                        network -> assertLast(
                                status, asked(network, _ -> ways(status).get(chosen), UPLOAD)));
            }
        }
    }

    /// What is little is dropped, and the next request is found behind it.
    @Test
    void a_refusal_in_front_of_a_short_body_is_not() {
        for (int way = 0; way < ways(403).size(); way++) {
            int chosen = way;
            Simulation.forEachSeed(10, network -> {
                HttpHandler app =
                        request -> request.method().equals("POST") ? ways(403).get(chosen) : Response.ok("next");
                try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), app)) {
                    var peer = network.connect(PORT).send(SHORT);
                    network.advance(SECOND);
                    peer.send(" other").send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                    network.advance(SECOND);
                    assertTrue(peer.received().startsWith("HTTP/1.1 403 "), peer::received);
                    assertTrue(peer.received().endsWith("\r\n\r\nnext"), peer::received);
                    assertFalse(peer.isEnded());
                }
            });
        }
    }

    /// Nobody knows how much is to come.
    @Test
    void a_response_in_front_of_the_end_of_chunks_is() {
        Simulation.forEachSeed(10, network -> assertLast(200, asked(network, _ -> Response.ok("no"), CHUNKED)));
    }

    @Test
    void a_short_body_that_nobody_reads_must_come_in_time() {
        Simulation.forEachSeed(10, network -> {
            long before = HttpGuards.UNREAD.count();
            try (var _ = AnyDispatch.serve(
                    network.on(PORT), Dispatch.loop(), HttpLimits.standard(), _ -> Response.ok("no"))) {
                var slow = network.connect(PORT).send(SHORT);
                network.advance(SECOND.multipliedBy(9));
                slow.send(" ");
                assertFalse(slow.isEnded());
                network.advance(SECOND.multipliedBy(2));
                assertTrue(slow.isEnded());
                assertEquals(before + 1, HttpGuards.UNREAD.count());
            }
        });
    }

    @Test
    void one_that_nobody_asked_a_handler_for_is() {
        var expecting = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: miracles\r\n\r\n";
        Simulation.forEachSeed(5, network -> assertLast(417, asked(network, _ -> Response.ok("no"), expecting)));
        var large = UPLOAD.replace("100000", "" + (2 << 20));
        Simulation.forEachSeed(
                5, network -> assertLast(413, asked(network, Http.whole(1 << 20, _ -> Response.ok("no")), large)));
    }

    @Test
    void one_that_goes_on_with_its_request_is_not() {
        Simulation.forEachSeed(5, network -> {
            HttpHandler echo = _ -> Response.duplex(200, (part, out) -> out.move(part));
            try (var _ = AnyDispatch.serve(network.on(PORT), any(network), HttpLimits.standard(), echo)) {
                var peer = network.connect(PORT).send(UPLOAD);
                network.advance(SECOND);
                assertTrue(peer.received().startsWith("HTTP/1.1 200 "), peer::received);
                assertFalse(peer.received().contains("Connection: close"), peer::received);
                peer.send("x".repeat(99_996));
                network.advance(SECOND);
                assertFalse(peer.isEnded());
            }
        });
    }

    /// What is under way, and what was asked for before the server heard of it.
    @Test
    void one_that_begins_while_the_server_drains_is() {
        for (int way = 0; way < ways(200).size(); way++) {
            int chosen = way;
            Simulation.forEachSeed(5, network -> {
                var answer = new CompletableFuture<Response>();
                try (var server = AnyDispatch.serve(
                        network.on(PORT), any(network), HttpLimits.standard(), _ -> Response.later(answer))) {
                    var peer = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                    network.advance(SECOND);
                    network.loops()
                            .next()
                            .after(SECOND, () -> answer.complete(ways(200).get(chosen)));
                    assertTrue(server.drain(Duration.ofMinutes(1)));
                    network.advance(SECOND);
                    assertLast(200, peer);
                    assertTrue(peer.isEnded());
                    assertEquals(0, server.connections());
                }
            });
        }
    }
}
