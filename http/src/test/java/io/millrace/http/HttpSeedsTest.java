package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A server on networks of many kinds: whatever they do, responses come in the order of their requests, and every
/// slab comes home.
@Tag("simulation")
class HttpSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 20_000;

    /// Until everything is over, what is left to timeouts too.
    private static final Duration LONG = Duration.ofMinutes(10);

    /// What a peer asks for, and what it must get.
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    private record Asked(byte[] request, byte[] expected, boolean isHead) {}

    @Test
    void pipelined_requests_are_answered_in_order_on_the_loop() {
        Simulation.forEachSeed(80, network -> assertAnswers(network, Dispatch.loop()));
    }

    @Test
    void pipelined_requests_are_answered_in_order_on_virtual_threads() {
        Simulation.forEachSeed(60, network -> assertAnswers(network, Dispatch.virtual()));
    }

    @Test
    void pipelined_requests_are_answered_in_order_in_a_pool() {
        Simulation.forEachSeed(60, network -> assertAnswers(network, Dispatch.pool(1 + network.random(3))));
    }

    private static void assertAnswers(Simulation network, Dispatch dispatch) throws IOException {
        try (var _ = serve(network, dispatch)) {
            var asked = new ArrayList<List<Asked>>();
            var peers = new ArrayList<Peer>();
            for (int i = 0; i <= network.random(3); i++) {
                asked.add(Several.of(1 + network.random(20), () -> question(network)));
                peers.add(network.connect(PORT));
                send(peers.get(i), asked.get(i));
                peers.get(i).end();
            }
            pauseSome(network, peers);
            network.advance(LONG);
            for (int i = 0; i < peers.size(); i++) assertGot(asked.get(i), peers.get(i));
        }
    }

    /// Peers that do not read for a while.
    private static void pauseSome(Simulation network, List<Peer> peers) {
        for (var peer : peers) if (network.random(3) == 0) peer.pause();
        network.advance(Duration.ofMillis(network.random(500)));
        peers.forEach(Peer::resume);
    }

    @Test
    void a_connection_that_dies_at_any_byte_leaves_nothing() {
        Simulation.forEachSeed(150, network -> {
            try (var server = serve(network, anyDispatch(network))) {
                var all = new ByteArrayOutputStream();
                for (var asked : Several.of(5, () -> question(network))) all.writeBytes(asked.request);
                var bytes = all.toByteArray();
                var peer = network.connect(PORT);
                peer.send(java.util.Arrays.copyOf(bytes, network.random(bytes.length + 1)));
                network.advance(Duration.ofMillis(network.random(200)));
                peer.abort();
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void resets_on_the_way_leave_nothing() {
        Simulation.forEachSeed(60, network -> {
            network.resets(0.02);
            try (var server = serve(network, anyDispatch(network))) {
                for (int i = 0; i < 4; i++) {
                    var peer = network.connect(PORT);
                    send(peer, Several.of(10, () -> question(network)));
                    peer.end();
                }
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_drain_answers_what_was_asked_and_closes() {
        Simulation.forEachSeed(150, network -> {
            try (var server = serve(network, anyDispatch(network))) {
                var asked = Several.of(1 + network.random(5), () -> question(network));
                var peer = network.connect(PORT);
                send(peer, asked);
                network.advance(Duration.ofMillis(network.random(300)));
                assertTrue(server.drain(Duration.ofMinutes(2)));
                network.advance(LONG);
                assertEquals(0, server.connections());
                assertBeginsRight(asked, peer);
            }
        });
    }

    @Test
    void a_peer_that_says_nothing_more_is_left_after_a_while() {
        Simulation.forEachSeed(100, network -> {
            try (var server = serve(network, anyDispatch(network))) {
                network.connect(PORT);
                network.connect(PORT).send("GET / HTTP/1.1\r\nHost:");
                network.connect(PORT).send("POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
                network.connect(PORT).send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofMinutes(3));
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_body_waits_for_a_reader_that_comes_later() {
        Simulation.forEachSeed(100, network -> {
            HttpHandler late = request -> {
                var answer = new CompletableFuture<Response>();
                var reading = Response.reading(new Reader());
                var _ = network.loops().next().after(Duration.ofSeconds(1), () -> answer.complete(reading));
                return Response.later(answer);
            };
            try (var _ = AnyDispatch.serve(network.on(PORT), anyDispatch(network), late)) {
                var peer = network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
                network.advance(LONG);
                assertTrue(peer.received().endsWith("\r\n\r\nread"), peer::received);
            }
        });
    }

    private static final class Reader implements BodyReader {
        @Override
        public void onBody(Input part) {
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok("read");
        }
    }

    private static Dispatch anyDispatch(Simulation network) {
        return switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(2);
        };
    }

    // The server.

    private static Server serve(Simulation network, Dispatch dispatch) {
        return AnyDispatch.serve(network.on(PORT), dispatch, new App(network, dispatch instanceof Dispatch.OnVirtual));
    }

    private record App(Simulation network, boolean mayWait) implements HttpHandler {
        private static final HttpHandler WHOLE =
                Http.whole(1 << 20, request -> Response.ok(request.bytes(), "text/plain"));

        @Override
        public Response handle(Request request) throws Exception {
            int n = Integer.parseInt(request.parameter("n").orElse("0"));
            return switch (request.path()) {
                case "/now" -> Response.ok(text(n));
                case "/later" -> Response.later(later(n));
                case "/stream" -> Response.stream(200, writer(n));
                case "/whole" -> WHOLE.handle(request);
                case "/duplex" -> Response.duplex(200, (part, out) -> out.move(part));
                case "/waiting" -> waiting(request);
                case "/blocking" -> Response.blocking(200, out -> echo(request.blockingBody(), out));
                default -> Response.status(404);
            };
        }

        /// Where a thread may.
        private Response waiting(Request request) throws Exception {
            return mayWait ? Response.ok(request.bytes(), "text/plain") : WHOLE.handle(request);
        }

        private static void echo(BlockingBody body, BlockingOutput out) throws IOException {
            while (body.read()) {
                out.output().move(body.input());
                out.flush();
            }
        }

        private CompletableFuture<Response> later(int n) {
            var response = new CompletableFuture<Response>();
            var loop = network.loops().next();
            var _ = loop.after(Duration.ofMillis(n % 50), () -> response.complete(Response.ok(text(n))));
            return response;
        }
    }

    private static String text(int n) {
        return "answer " + n;
    }

    private static BodyWriter writer(int length) {
        return new BodyWriter() {
            private int left = length;

            @Override
            public boolean write(Output out) {
                int part = Math.min(left, 1000);
                out.write(pattern(part), 0, part);
                left -= part;
                return left > 0;
            }
        };
    }

    private static byte[] pattern(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) bytes[i] = (byte) ('a' + i % 26);
        return bytes;
    }

    // The peers.

    private static final List<String> READERS = List.of("/whole", "/duplex", "/waiting", "/blocking");

    private static Asked question(Simulation network) {
        int n = network.random(LARGEST);
        return switch (network.random(10)) {
            case 0 -> get("GET", "/now?n=" + n, text(n).getBytes(StandardCharsets.UTF_8));
            case 1 -> get("HEAD", "/now?n=" + n, new byte[0]);
            case 2 -> get("GET", "/later?n=" + n, text(n).getBytes(StandardCharsets.UTF_8));
            case 3 -> get("GET", "/stream?n=" + n, streamed(n));
            case 4 -> post("/whole", network.randomBytes(n));
            case 5 -> post("/duplex", network.randomBytes(n));
            case 6 -> post("/waiting", network.randomBytes(n));
            case 7 -> post("/blocking", network.randomBytes(n));
            default -> chunked(READERS.get(network.random(4)), network.randomBytes(n), network);
        };
    }

    private static byte[] streamed(int n) {
        var all = new ByteArrayOutputStream();
        for (int left = n; left > 0; left -= 1000) all.writeBytes(pattern(Math.min(left, 1000)));
        return all.toByteArray();
    }

    private static Asked get(String method, String target, byte[] expected) {
        return new Asked(
                latin1(method + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"), expected, method.equals("HEAD"));
    }

    private static Asked post(String target, byte[] body) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(
                latin1("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length + "\r\n\r\n"));
        all.writeBytes(body);
        return new Asked(all.toByteArray(), body, false);
    }

    private static Asked chunked(String target, byte[] body, Simulation network) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(latin1("POST " + target + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
        for (int at = 0; at < body.length; ) {
            int part = Math.min(body.length - at, 1 + network.random(3000));
            all.writeBytes(latin1(Integer.toHexString(part) + "\r\n"));
            all.write(body, at, part);
            all.writeBytes(latin1("\r\n"));
            at += part;
        }
        all.writeBytes(latin1("0\r\n\r\n"));
        return new Asked(all.toByteArray(), body, false);
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void send(Peer peer, List<Asked> all) {
        for (var asked : all) peer.send(asked.request);
    }

    private static void assertGot(List<Asked> all, Peer peer) throws IOException {
        var in = new ByteArrayInputStream(peer.receivedBytes());
        var replies = new Replies(in);
        for (var asked : all)
            assertArrayEquals(asked.expected, replies.read(!asked.isHead).body());
        assertEquals(0, in.available());
        assertTrue(peer.isEnded());
    }

    /// As many whole responses as there are, and nothing of another.
    private static void assertBeginsRight(List<Asked> all, Peer peer) throws IOException {
        var in = new ByteArrayInputStream(peer.receivedBytes());
        var replies = new Replies(in);
        for (int i = 0; i < all.size() && in.available() > 0; i++) {
            assertArrayEquals(
                    all.get(i).expected, replies.read(!all.get(i).isHead).body());
        }
        assertEquals(0, in.available());
    }
}
