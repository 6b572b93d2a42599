package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.coding.Coding;
import io.millrace.http.coding.Decoder;
import io.millrace.http.coding.Encoder;
import io.millrace.http.coding.Packed;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.server.StaticFiles;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Responses that are packed on their way, wherever a server runs.
class CompressedTest {
    private static final byte[] TEXT = Packed.text(1, 600_000);

    @TempDir
    Path directory;

    private static Serving serve(Serving.Kind kind, HttpHandler app) {
        return kind.serve(Compression.gzip().around(app));
    }

    private static WebPeer ask(WebPeer peer, String method, String coding) throws IOException {
        return peer.send(method + " / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + coding + "\r\n\r\n");
    }

    private static void assertPacked(byte[] expected, Coding coding, WebPeer.Reply reply) throws IOException {
        assertEquals(coding.token(), reply.header("content-encoding"));
        assertArrayEquals(expected, Packed.unpacked(coding, reply.body()));
    }

    /// Asks twice with each coding, on one connection, and once plainly.
    private static void assertServes(byte[] expected, Serving serving) throws IOException {
        try (var peer = serving.connect()) {
            for (int i = 0; i < 2; i++) {
                assertPacked(expected, Coding.GZIP, ask(peer, "GET", "gzip").read());
                assertPacked(
                        expected, Coding.DEFLATE, ask(peer, "GET", "deflate").read());
            }
            assertArrayEquals(expected, peer.get("/").read().body());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_value(Serving.Kind kind) throws IOException {
        var text = Packed.text(2, 20_000);
        var constant = Response.ok(Bytes.of(text), "text/plain");
        try (var serving = serve(kind, _ -> constant)) {
            assertServes(text, serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_long_value_is_packed_as_the_peer_takes_it(Serving.Kind kind) throws IOException {
        var constant = Response.ok(Bytes.of(TEXT), "text/plain");
        try (var serving = serve(kind, _ -> constant)) {
            assertServes(TEXT, serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream(Serving.Kind kind) throws IOException {
        try (var serving =
                serve(kind, _ -> Response.stream(200, writer(TEXT, 7001)).type("text/plain"))) {
            assertServes(TEXT, serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_of_a_known_length_loses_it(Serving.Kind kind) throws IOException {
        try (var serving = serve(
                kind,
                _ -> Response.stream(200, writer(TEXT, 7001)).type("text/plain").length(TEXT.length))) {
            assertServes(TEXT, serving);
            try (var peer = serving.connect()) {
                var reply = ask(peer, "GET", "gzip").read();
                assertEquals("", reply.header("content-length"));
                assertEquals("chunked", reply.header("transfer-encoding"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_that_is_not_as_long_as_it_said_drops_the_connection(Serving.Kind kind) throws IOException {
        var text = Packed.text(1, 5000);
        for (int length : new int[] {4999, 5001}) {
            try (var serving = serve(
                            kind,
                            _ -> Response.stream(200, writer(text, 5000))
                                    .type("text/plain")
                                    .length(length));
                    var peer = serving.connect()) {
                ask(peer, "GET", "gzip");
                assertThrows(IOException.class, peer::read);
            }
        }
    }

    private static BodyWriter writer(byte[] bytes, int part) {
        var at = new AtomicInteger();
        return out -> {
            int from = at.get();
            int length = Math.min(part, bytes.length - from);
            out.write(bytes, from, length);
            return at.addAndGet(length) < bytes.length;
        };
    }

    @ParameterizedTest
    @EnumSource
    void what_packs_to_nothing_needs_no_memory(Serving.Kind kind) throws IOException {
        long length = 50_000_000;
        var part = new byte[10_000];
        try (var serving = serve(kind, _ -> {
                    var left = new long[] {length};
                    return Response.stream(200, out -> {
                                out.write(part, 0, part.length);
                                left[0] -= part.length;
                                return left[0] > 0;
                            })
                            .type("text/plain");
                });
                var peer = serving.connect()) {
            var reply = ask(peer, "GET", "gzip").read();
            try (var in = Packed.reader(Coding.GZIP, reply.body())) {
                assertEquals(length, in.transferTo(OutputStream.nullOutputStream()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_file(Serving.Kind kind) throws IOException {
        var file = Files.write(directory.resolve("a.txt"), TEXT);
        try (var serving = serve(kind, _ -> Response.file(file))) {
            assertServes(TEXT, serving);
            try (var peer = serving.connect()) {
                var whole = ask(peer, "GET", "gzip").read();
                assertTrue(whole.header("etag").startsWith("W/\""), whole::toString);
                var again = peer.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nIf-None-Match: "
                                + whole.header("etag") + "\r\n\r\n")
                        .read();
                assertEquals(304, again.status());
                assertEquals(whole.header("etag"), again.header("etag"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_part_of_a_file_is_not_packed(Serving.Kind kind) throws IOException {
        var file = Files.write(directory.resolve("a.txt"), TEXT);
        try (var serving = serve(kind, StaticFiles.of(directory));
                var peer = serving.connect()) {
            var reply = peer.send(
                            "GET /a.txt HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nRange: bytes=5-9999\r\n\r\n")
                    .read();
            assertEquals(206, reply.status());
            assertEquals("", reply.header("content-encoding"));
            assertEquals("Accept-Encoding", reply.header("vary"));
            assertArrayEquals(Arrays.copyOfRange(TEXT, 5, 10_000), reply.body());
        }
        assertTrue(Files.exists(file));
    }

    @ParameterizedTest
    @EnumSource
    void a_response_that_comes_later(Serving.Kind kind) throws IOException {
        var text = Packed.text(2, 20_000);
        try (var serving = serve(
                kind,
                _ -> Response.later(CompletableFuture.supplyAsync(() -> Response.later(
                        CompletableFuture.supplyAsync(() -> Response.ok(Bytes.of(text), "text/plain"))))))) {
            assertServes(text, serving);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_to_what_was_read(Serving.Kind kind) throws IOException {
        var text = Packed.text(2, 20_000);
        try (var serving = serve(
                        kind,
                        _ -> Response.reading(new BodyReader() {
                            @Override
                            public void onBody(Input part) {
                                part.skip(part.remaining());
                            }

                            @Override
                            public Response onEnd() {
                                return Response.ok(Bytes.of(text), "text/plain");
                            }
                        }));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nAccept-Encoding: gzip\r\n\r\nhello");
            assertPacked(text, Coding.GZIP, peer.read());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_is_packed_while_it_arrives(Serving.Kind kind) throws IOException {
        HttpHandler echo =
                _ -> Response.duplex(200, (part, out) -> out.move(part)).type("text/plain");
        try (var serving = serve(kind, echo);
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + TEXT.length
                    + "\r\nAccept-Encoding: gzip\r\n\r\n");
            var sender = peer.sendMeanwhile(TEXT);
            assertPacked(TEXT, Coding.GZIP, peer.read());
            sender.join();
            assertEquals("", peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_head_of_a_response_says_what_the_response_would(Serving.Kind kind) throws IOException {
        for (var response : new Response[] {
            Response.ok(Bytes.of(Packed.text(1, 5000)), "text/plain"),
            Response.stream(200, writer(TEXT, 7001)).type("text/plain")
        }) {
            try (var serving = serve(kind, _ -> response);
                    var peer = serving.connect()) {
                var reply = ask(peer, "HEAD", "gzip").read(false);
                assertEquals("gzip", reply.header("content-encoding"));
                assertEquals("Accept-Encoding", reply.header("vary"));
                assertEquals("gzip", ask(peer, "HEAD", "gzip").read(false).header("content-encoding"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_of_the_old_days_gets_its_stream_until_the_end(Serving.Kind kind) throws IOException {
        var text = Packed.text(2, 20_000);
        try (var serving =
                        serve(kind, _ -> Response.stream(200, writer(text, 100)).type("text/plain"));
                var peer = serving.connect()) {
            peer.send("GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n");
            assertPacked(text, Coding.GZIP, peer.read());
        }
    }

    @ParameterizedTest
    @EnumSource
    void each_part_of_an_echo_can_be_read_before_the_next_is_sent(Serving.Kind kind) throws IOException {
        HttpHandler echo =
                _ -> Response.duplex(200, (part, out) -> out.move(part)).type("text/plain");
        try (var serving = serve(kind, echo);
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\nAccept-Encoding: gzip\r\n\r\n");
            var sent = new ByteArrayOutputStream();
            var text = "";
            for (var part : List.of("one", "two", "three")) {
                peer.send(part);
                if (text.isEmpty()) while (!peer.line().isEmpty()) {}
                text += part;
                while (!readable(sent.toByteArray()).equals(text)) sent.writeBytes(chunk(peer));
            }
        }
    }

    private static byte[] chunk(WebPeer peer) throws IOException {
        int length = Integer.parseInt(peer.line(), 16);
        var bytes = peer.bytes(length);
        assertEquals("", peer.line());
        return bytes;
    }

    private static String readable(byte[] packed) throws IOException {
        var text = new StringBuilder();
        if (packed.length == 0) return "";
        try (var in = Packed.reader(Coding.GZIP, packed)) {
            for (int b; (b = in.read()) >= 0; ) text.append((char) b);
        } catch (EOFException _) {
            // There will be more.
        }
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_leaves_in_the_middle_leaves_no_deflater(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(3);
        try (var serving = serve(
                kind,
                _ -> Response.stream(200, new BodyWriter() {
                            @Override
                            public boolean write(Output out) {
                                var noise = Packed.noise(System.nanoTime(), 10_000);
                                out.write(noise, 0, noise.length);
                                return true;
                            }

                            @Override
                            public void onClose() {
                                closed.countDown();
                            }
                        })
                        .type("text/plain"))) {
            for (int i = 0; i < 3; i++) {
                try (var peer = serving.connect()) {
                    ask(peer, "GET", "gzip").line();
                }
            }
            closed.await();
        }
        assertEquals(0, Encoder.DEFLATERS.inUse());
    }

    /// Loops that close have patience for two seconds.
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_call_that_outlives_its_loop_leaves_neither_deflater_nor_inflater() throws Exception {
        var parts = new AtomicInteger();
        var isBusy = new CountDownLatch(1);
        var goOn = new CompletableFuture<Void>();
        var aborted = new CountDownLatch(1);
        HttpHandler echo = _ -> Response.duplex(200, new BodyDuplex() {
                    @Override
                    public void onBody(Input part, Output out) {
                        out.move(part);
                        if (parts.incrementAndGet() == 1) return;
                        isBusy.countDown();
                        goOn.join();
                    }

                    @Override
                    public void onAbort() {
                        aborted.countDown();
                    }
                })
                .type("text/plain");
        var app = Routes.of().post("/", echo).filter(Compression.gzip(), Decompression.upTo(1 << 20));
        var packed = Packed.gzip(Packed.noise(4, 100_000));
        var serving = Serving.Kind.NIO_POOL.serve(app);
        try (var peer = serving.connect()) {
            // One byte of the body never comes.
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
                            + "Content-Length: " + (packed.length + 1) + "\r\n\r\n")
                    .send(packed);
            isBusy.await();
            assertEquals(1, Encoder.DEFLATERS.inUse());
            assertEquals(1, Decoder.INFLATERS.inUse());
            serving.loops().close();
            goOn.complete(null);
            aborted.await();
            assertEquals(0, Encoder.DEFLATERS.inUse());
            assertEquals(0, Decoder.INFLATERS.inUse());
        } finally {
            goOn.complete(null);
            serving.loops().close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_that_throws_leaves_no_deflater(Serving.Kind kind) throws IOException {
        var calls = new AtomicInteger();
        try (var serving = serve(
                        kind,
                        _ -> Response.stream(200, out -> {
                                    out.write(TEXT, 0, 10_000);
                                    if (calls.incrementAndGet() == 20) throw new IOException("on purpose");
                                    return true;
                                })
                                .type("text/plain"));
                var peer = serving.connect()) {
            ask(peer, "GET", "gzip");
            assertThrows(IOException.class, peer::read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void events_are_not_packed(Serving.Kind kind) throws IOException {
        try (var serving = serve(
                        kind,
                        _ -> Response.events(stream -> {
                            stream.send("x".repeat(5000));
                            stream.close();
                        }));
                var peer = serving.connect()) {
            var reply = ask(peer, "GET", "gzip").read();
            assertEquals("", reply.header("content-encoding"));
            assertEquals("data: " + "x".repeat(5000) + "\n\n", reply.text());
        }
    }
}
