package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.coding.Coding;
import io.millrace.http.coding.Decoder;
import io.millrace.http.coding.Encoder;
import io.millrace.http.coding.Packed;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.server.Http;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Packed bodies in both directions, on networks of many kinds: what is unpacked is what was packed, and every
/// slab, deflater and inflater comes home.
@Tag("simulation")
class CodingSeedsTest {
    private static final int PORT = 80;
    private static final int LARGEST = 40_000;
    private static final String ENDLESS = "GET /endless HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n";
    private static final Duration LONG = Duration.ofMinutes(10);

    /// What a peer asks for, and what it must get when that is unpacked.
    @SuppressWarnings("ArrayRecordComponent") // nobody changes them
    private record Asked(byte[] request, byte[] expected) {}

    @AfterEach
    void nothing_outside_of_the_heap_was_left() {
        assertEquals(0, Encoder.DEFLATERS.inUse());
        assertEquals(0, Decoder.INFLATERS.inUse());
    }

    @Test
    void requests_and_responses_are_what_they_were() {
        Simulation.forEachSeed(150, network -> {
            try (var _ = serve(network)) {
                var peer = network.connect(PORT);
                var asked = Several.of(1 + network.random(8), () -> question(network));
                for (var one : asked) peer.send(one.request);
                peer.end();
                if (network.random(3) == 0) peer.pause();
                network.advance(Duration.ofMillis(network.random(500)));
                peer.resume();
                network.advance(LONG);
                assertGot(asked, peer);
            }
        });
    }

    @Test
    void a_connection_that_dies_at_any_byte_leaves_nothing() {
        Simulation.forEachSeed(150, network -> {
            try (var server = serve(network)) {
                var all = new ByteArrayOutputStream();
                for (var asked : Several.of(4, () -> question(network))) all.writeBytes(asked.request);
                var bytes = all.toByteArray();
                var peer = network.connect(PORT);
                if (network.random(3) == 0) peer.pause();
                peer.send(Arrays.copyOf(bytes, network.random(bytes.length + 1)));
                network.advance(Duration.ofMillis(network.random(200)));
                peer.abort();
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void peers_that_do_not_read_are_given_up_and_leave_nothing() {
        Simulation.forEachSeed(12, network -> {
            try (var server = serve(network)) {
                for (int i = 0; i < 3; i++) {
                    network.connect(PORT).pause().send(ENDLESS);
                }
                network.advance(Duration.ofSeconds(20));
                assertEquals(3, Encoder.DEFLATERS.inUse());
                network.advance(LONG);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void bytes_that_are_almost_packed_do_no_harm() {
        Simulation.forEachSeed(125, network -> {
            try (var server = serve(network)) {
                var packed = Packed.gzip(Packed.text(network.random(100), network.random(LARGEST)));
                for (int n = network.random(3); n >= 0; n--) {
                    packed[network.random(packed.length)] = (byte) network.random(256);
                }
                var peer = network.connect(PORT);
                peer.send(post(network.random(2) == 0 ? "/whole" : "/echo", "gzip", packed))
                        .end();
                network.advance(LONG);
                assertTrue(peer.isEnded() || peer.isReset());
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_client_gets_what_was_packed_for_it() {
        Simulation.forEachSeed(150, network -> {
            network.resets(network.random(2) * 0.02);
            try (var _ = serve(network);
                    var client = HttpClient.of(ClientSettings.standard()
                            .loops(network.loops())
                            .connect(host -> network.to(host.getPort()))
                            .connections(1 + network.random(3))
                            .gzip(10 << 20))) {
                var all = new ArrayList<CompletableFuture<Response>>();
                var expected = new ArrayList<byte[]>();
                for (int i = 0; i < 10; i++) {
                    int n = network.random(LARGEST);
                    var target = network.random(2) == 0 ? "/now" : "/stream";
                    all.add(client.sendAsync(Request.get("http://127.0.0.1" + target + "?n=" + n))
                            .toCompletableFuture());
                    expected.add(Packed.text(n, n));
                }
                network.advance(LONG);
                for (int i = 0; i < all.size(); i++) {
                    var answer = all.get(i);
                    assertTrue(answer.isDone());
                    if (!answer.isCompletedExceptionally()) {
                        assertArrayEquals(expected.get(i), answer.join().body().toArray());
                    }
                }
                close(client, network);
            }
        });
    }

    private static void close(HttpClient client, Simulation network) {
        client.close();
        network.advance(Duration.ofSeconds(5));
        for (var loop : network.loops().counters()) assertEquals(0, loop.connections(), loop::toString);
    }

    // The server.

    private static Server serve(Simulation network) {
        var dispatch = switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(2);
        };
        var stage = new Later(network);
        var app = Routes.of()
                .get("/now", request -> Response.ok(Bytes.of(text(request)), "text/plain"))
                .get("/later", request -> stage.later(text(request)))
                .get(
                        "/stream",
                        request -> Response.stream(200, writer(text(request), 1000 + network.random(5000)))
                                .type("text/plain"))
                .get(
                        "/endless",
                        _ -> Response.stream(200, CodingSeedsTest::noise).type("text/plain"))
                .post("/whole", Http.whole(1 << 20, request -> Response.ok(request.bytes(), "text/plain")))
                .post(
                        "/echo",
                        _ -> Response.duplex(200, (part, out) -> out.move(part)).type("text/plain"))
                .filter(Compression.gzip().least(0), Decompression.upTo(1 << 20));
        return AnyDispatch.serve(network.on(PORT), dispatch, app);
    }

    private record Later(Simulation network) {
        Response later(byte[] text) {
            var response = new CompletableFuture<Response>();
            var _ = network.loops()
                    .next()
                    .after(
                            Duration.ofMillis(text.length % 50),
                            () -> response.complete(Response.ok(Bytes.of(text), "text/plain")));
            return Response.later(response);
        }
    }

    private static byte[] text(Request request) {
        int n = Integer.parseInt(request.parameter("n").orElseThrow());
        return Packed.text(n, n);
    }

    private static BodyWriter writer(byte[] text, int part) {
        var at = new int[1];
        return out -> {
            int length = Math.min(part, text.length - at[0]);
            out.write(text, at[0], length);
            at[0] += length;
            return at[0] < text.length;
        };
    }

    private static boolean noise(Output out) {
        var bytes = Packed.noise(1, 20_000);
        out.write(bytes, 0, bytes.length);
        return true;
    }

    // The peers.

    private static Asked question(Simulation network) {
        int n = network.random(LARGEST);
        var text = Packed.text(n, n);
        return switch (network.random(5)) {
            case 0 -> get("/now", n, text);
            case 1 -> get("/later", n, text);
            case 2 -> get("/stream", n, text);
            case 3 -> new Asked(post("/whole", "gzip", Packed.gzip(text)), text);
            default -> new Asked(post("/echo", "deflate", Packed.zlib(text)), text);
        };
    }

    private static Asked get(String path, int n, byte[] expected) {
        return new Asked(
                latin1("GET " + path + "?n=" + n + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"), expected);
    }

    private static byte[] post(String path, String coding, byte[] body) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(latin1("POST " + path + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nContent-Encoding: "
                + coding + "\r\nContent-Length: " + body.length + "\r\n\r\n"));
        all.writeBytes(body);
        return all.toByteArray();
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void assertGot(List<Asked> all, Peer peer) throws IOException {
        var in = new ByteArrayInputStream(peer.receivedBytes());
        var replies = new Replies(in);
        for (var asked : all) {
            var reply = replies.read(true);
            assertEquals(200, reply.status());
            boolean isPacked = reply.header("content-encoding").equals("gzip");
            // What does not become smaller is left as it is.
            assertTrue(isPacked || asked.expected.length < 200, reply::toString);
            assertArrayEquals(asked.expected, isPacked ? Packed.unpacked(Coding.GZIP, reply.body()) : reply.body());
        }
        assertEquals(0, in.available());
        assertTrue(peer.isEnded());
    }
}
