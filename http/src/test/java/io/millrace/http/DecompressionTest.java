package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.coding.Packed;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests whose bodies are packed, wherever a server runs.
@Tag("slow")
class DecompressionTest {
    private static final byte[] TEXT = Packed.text(1, 300_000);
    private static final byte[] BOMB = Packed.gzip(new byte[100 << 20]);

    /// The whole body, and what is seen of the fields.
    private static final HttpHandler WHOLE = Http.whole(1 << 20, request -> {
        var body = request.body().readBytes(request.body().remaining());
        return Response.ok(body, "text/plain")
                .addHeader("Seen", request.headers().toString().replace('\n', ';'));
    });

    private static final HttpHandler ECHO = _ -> Response.duplex(200, (part, out) -> out.move(part));

    private static final HttpHandler READING = _ -> Response.reading(new Collecting());

    /// Takes odd numbers of bytes, and leaves some.
    private static final class Collecting implements BodyReader {
        private final java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();

        @Override
        public void onBody(Input part) {
            while (part.remaining() >= 7) all.writeBytes(part.readBytes(7).toArray());
            boolean isLast = all.size() + part.remaining() == TEXT.length;
            if (isLast) all.writeBytes(part.readBytes(part.remaining()).toArray());
        }

        @Override
        public Response onEnd() {
            return Response.ok(Bytes.of(all.toByteArray()), "text/plain");
        }
    }

    private static Serving serve(Serving.Kind kind, HttpHandler app) {
        return kind.serve(Decompression.upTo(2 << 20).around(app));
    }

    private static WebPeer post(WebPeer peer, String coding, byte[] body) throws IOException {
        return peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: " + coding + "\r\nContent-Length: "
                        + body.length + "\r\n\r\n")
                .send(body);
    }

    /// In chunks of a thousand bytes.
    private static WebPeer postChunks(WebPeer peer, String coding, byte[] body) throws IOException {
        peer.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: " + coding + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int at = 0; at < body.length; at += 1000) {
            var part = Arrays.copyOfRange(body, at, Math.min(body.length, at + 1000));
            peer.send(Integer.toHexString(part.length) + "\r\n").send(part).send("\r\n");
        }
        return peer.send("0\r\n\r\n");
    }

    private static void assertUnpacks(Serving serving) throws IOException {
        try (var peer = serving.connect()) {
            assertArrayEquals(TEXT, post(peer, "gzip", Packed.gzip(TEXT)).read().body());
            assertArrayEquals(
                    TEXT, postChunks(peer, "X-GZIP", Packed.gzip(TEXT)).read().body());
            assertArrayEquals(
                    TEXT, post(peer, "deflate", Packed.zlib(TEXT)).read().body());
            assertArrayEquals(TEXT, post(peer, "identity", TEXT).read().body());
            assertArrayEquals(
                    TEXT, post(peer, "identity, gzip", Packed.gzip(TEXT)).read().body());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_whole_body(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, WHOLE)) {
            assertUnpacks(serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_read_as_it_arrives(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, READING)) {
            assertUnpacks(serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_whose_reader_is_chosen_later(Serving.Kind kind) throws IOException {
        HttpHandler later =
                _ -> Response.later(CompletableFuture.supplyAsync(() -> Response.reading(new Collecting())));
        try (var serving = serve(kind, later)) {
            assertUnpacks(serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, ECHO)) {
            assertUnpacks(serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_that_is_packed_again(Serving.Kind kind) throws IOException {
        HttpHandler text =
                _ -> Response.duplex(200, (part, out) -> out.move(part)).type("text/plain");
        var app = Routes.of().post("/", text).filter(Compression.gzip(), Decompression.upTo(2 << 20));
        try (var serving = kind.serve(app);
                var peer = serving.connect()) {
            var packed = Packed.gzip(TEXT);
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: deflate\r\nContent-Encoding: gzip\r\n"
                            + "Content-Length: " + packed.length + "\r\n\r\n")
                    .send(packed);
            assertArrayEquals(
                    TEXT,
                    Packed.unpacked(
                            io.millrace.http.coding.Coding.DEFLATE, peer.read().body()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_reads_though_it_got_the_body_whole(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, _ -> Response.reading(new Collecting()))) {
            assertUnpacks(serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothing_is_seen_of_the_coding(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, WHOLE);
                var peer = serving.connect()) {
            assertEquals(
                    "Host: a;", post(peer, "gzip", Packed.gzip(TEXT)).read().header("seen"));
            assertTrue(post(peer, "identity", TEXT).read().header("seen").contains("Content-Encoding: identity"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_empty_body_is_empty(Serving.Kind kind) throws IOException {
        for (var app : new HttpHandler[] {WHOLE, ECHO}) {
            try (var serving = serve(kind, app);
                    var peer = serving.connect()) {
                assertEquals("", post(peer, "gzip", new byte[0]).read().text());
                assertEquals("", postChunks(peer, "gzip", new byte[0]).read().text());
            }
        }
    }

    // What is refused.

    @ParameterizedTest
    @EnumSource
    void another_coding_is_refused_with_those_that_there_are(Serving.Kind kind) throws IOException {
        for (var app : new HttpHandler[] {WHOLE, READING}) {
            for (var coding : new String[] {"br", "zstd", "compress", "gzip2", "gzip;q=1"}) {
                try (var serving = serve(kind, app);
                        var peer = serving.connect()) {
                    var reply = post(peer, coding, TEXT).read();
                    assertEquals(415, reply.status());
                    assertEquals("gzip, deflate", reply.header("accept-encoding"));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void codings_on_top_of_each_other_are_refused(Serving.Kind kind) throws IOException {
        long before = HttpGuards.CODINGS.count();
        var twice = Packed.gzip(Packed.gzip(TEXT));
        try (var serving = serve(kind, WHOLE);
                var one = serving.connect();
                var peer = serving.connect()) {
            assertEquals(415, post(one, "gzip, gzip", twice).read().status());
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
                            + "Content-Length: " + twice.length + "\r\n\r\n")
                    .send(twice);
            assertEquals(415, peer.read().status());
        }
        assertEquals(before + 2, HttpGuards.CODINGS.count());
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_no_gzip_is_refused(Serving.Kind kind) throws IOException {
        var good = Packed.gzip(TEXT);
        var wrong = good.clone();
        wrong[wrong.length - 8]++;
        var bodies =
                new byte[][] {TEXT, wrong, Arrays.copyOf(good, good.length - 1), Arrays.copyOf(good, good.length + 1)};
        for (var app : new HttpHandler[] {WHOLE, READING}) {
            for (var body : bodies) {
                try (var serving = serve(kind, app);
                        var peer = serving.connect()) {
                    assertEquals(400, post(peer, "gzip", body).read().status());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_hears_of_a_body_that_turns_out_to_be_none(Serving.Kind kind) throws Exception {
        var aborted = new CountDownLatch(2);
        var good = Packed.gzip(TEXT);
        HttpHandler app = _ -> Response.reading(new BodyReader() {
            @Override
            public void onBody(Input part) {
                part.skip(part.remaining());
            }

            @Override
            public Response onEnd() {
                return Response.ok("complete");
            }

            @Override
            public void onAbort() {
                aborted.countDown();
            }
        });
        for (var body : new byte[][] {Arrays.copyOf(good, good.length - 1), TEXT}) {
            try (var serving = serve(kind, app);
                    var peer = serving.connect()) {
                assertEquals(400, post(peer, "gzip", body).read().status());
            }
        }
        aborted.await();
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_of_a_wrong_body_drops_the_connection(Serving.Kind kind) throws IOException {
        var good = Packed.gzip(TEXT);
        try (var serving = serve(kind, ECHO);
                var peer = serving.connect()) {
            post(peer, "gzip", Arrays.copyOf(good, good.length - 1));
            assertThrows(IOException.class, peer::read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_unpacks_to_more_than_was_said_is_refused(Serving.Kind kind) throws IOException {
        for (var app : new HttpHandler[] {WHOLE, READING}) {
            long before = HttpGuards.DECODED.count();
            try (var serving = kind.serve(Decompression.upTo(TEXT.length - 1).around(app));
                    var peer = serving.connect()) {
                assertEquals(413, post(peer, "gzip", Packed.gzip(TEXT)).read().status());
            }
            assertEquals(before + 1, HttpGuards.DECODED.count());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_bomb_is_refused(Serving.Kind kind) throws IOException {
        for (var app : new HttpHandler[] {
            Http.whole(Long.MAX_VALUE, request -> Response.ok("?")), _ -> Response.reading(new Skipping())
        }) {
            long before = HttpGuards.DECODED_RATIO.count();
            try (var serving = kind.serve(Decompression.upTo(Long.MAX_VALUE).around(app));
                    var peer = serving.connect()) {
                peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " + BOMB.length
                        + "\r\n\r\n");
                var _ = peer.sendMeanwhile(BOMB);
                assertEquals(413, peer.read().status());
            }
            assertEquals(before + 1, HttpGuards.DECODED_RATIO.count());
        }
    }

    private static final class Skipping implements BodyReader {
        @Override
        public void onBody(Input part) {
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok("all of it");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_leaves_in_the_middle_leaves_no_inflater(Serving.Kind kind) throws Exception {
        var packed = Packed.gzip(Packed.noise(1, 100_000));
        var begun = new CountDownLatch(2);
        HttpHandler app = _ -> Response.duplex(200, (Input part, Output out) -> {
            out.move(part);
            begun.countDown();
        });
        try (var serving = serve(kind, app)) {
            for (int i = 0; i < 2; i++) {
                try (var peer = serving.connect()) {
                    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " + packed.length
                                    + "\r\n\r\n")
                            .send(Arrays.copyOf(packed, packed.length / 2))
                            .line();
                }
            }
            begun.await();
        }
    }

    // Without a server.

    @Test
    void a_handler_can_be_asked_without_a_server() throws Exception {
        var app = Decompression.upTo(1 << 20).around(WHOLE);
        var response = app.handle(Request.post("/", Bytes.of(Packed.gzip(TEXT))).addHeader("Content-Encoding", "gzip"));
        assertArrayEquals(TEXT, response.body().toArray());
        assertEquals("", response.header("Seen").orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1033})
    void a_ratio_that_makes_no_sense_is_refused(int ratio) {
        Asking.assertSays(
                "take 1 to 1032",
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Decompression.upTo(1).ratio(ratio)));
    }

    @ParameterizedTest
    @CsvSource({"200, 413", "1032, 200"})
    void a_ratio_may_be_raised(int ratio, int status) throws Exception {
        var app = Decompression.upTo(4 << 20).ratio(ratio).around(_ -> Response.ok("fine"));
        var request =
                Request.post("/", Bytes.of(Packed.gzip(new byte[3 << 20]))).addHeader("Content-Encoding", "gzip");
        assertEquals(status, statusOf(app, request));
    }

    private static int statusOf(HttpHandler app, Request request) throws Exception {
        try {
            return app.handle(request).status();
        } catch (HttpError e) {
            return e.status();
        }
    }

    /// What was unpacked is on the heap, where the kernel does not find it.
    @ParameterizedTest
    @EnumSource
    void a_short_body_can_be_moved(Serving.Kind kind) throws Exception {
        var few = Arrays.copyOf(TEXT, 900);
        HttpHandler moving = Http.whole(1 << 20, request -> {
            var body = request.body();
            return Response.stream(200, out -> {
                        out.move(body);
                        return false;
                    })
                    .addHeader("Long", "x".repeat(1400)); // there is no room for the body behind it
        });
        try (var serving = serve(kind, moving);
                var peer = serving.connect()) {
            assertArrayEquals(few, post(peer, "gzip", Packed.gzip(few)).read().body());
        }
    }
}
