package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.coding.Packed;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies in direct style: who waits for them waits on a virtual thread, and nobody else does.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingBodiesTest {
    private static final String CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String LONG = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";

    private static final HttpHandler COUNTING = request -> {
        long count = 0;
        var body = request.blockingBody();
        while (body.read()) {
            count += body.input().remaining();
            body.input().skip(body.input().remaining());
        }
        return Response.ok(count + " " + body.trailers().first("A").orElse("-"));
    };

    private static final HttpHandler ECHO = request -> Response.blocking(200, out -> {
        var body = request.blockingBody();
        while (body.read()) {
            out.output().move(body.input());
            out.flush();
        }
    });

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void a_handler_waits_for_a_body_that_is_to_come(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok(request.text() + request.trailers()));
                var peer = serving.connect()) {
            for (int i = 0; i < 3; i++) {
                peer.send(CHUNKED + "3\r\none\r\n").send("3\r\ntwo\r\n").send("0\r\nA: b\r\n\r\n");
                assertEquals(
                        "onetwo" + Headers.EMPTY.with("A", "b"), peer.read().text());
                assertEquals("", peer.get("/").read().text());
            }
            var text = "x".repeat(100_000);
            assertEquals(text, peer.send(LONG + text).read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void it_reads_it_as_it_arrives(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(COUNTING);
                var peer = serving.connect()) {
            peer.send(CHUNKED);
            for (int i = 0; i < 100; i++) peer.send("5\r\nhello\r\n");
            assertEquals("500 b", peer.send("0\r\nA: b\r\n\r\n").read().text());
            var sent = random(5_000_000);
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = peer.sendMeanwhile(sent);
            assertEquals(sent.length + " -", peer.read().text());
            sender.join();
            assertEquals(
                    "5 -",
                    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
                            .read()
                            .text());
        }
    }

    /// What was sent ahead waits behind it.
    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void requests_behind_it_wait_for_its_response(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(COUNTING);
                var peer = serving.connect()) {
            var one = CHUNKED + "5\r\nhello\r\n0\r\n\r\n";
            var get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
            peer.send((one + get).repeat(20));
            for (int i = 0; i < 20; i++) {
                assertEquals("5 -", peer.read().text());
                assertEquals("0 -", peer.read().text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_is_written_while_the_body_of_its_request_is_read(Serving.Kind kind) throws IOException {
        var sent = random(3_000_000);
        try (var serving = kind.serve(ECHO);
                var peer = serving.connect()) {
            peer.send(CHUNKED + "3\r\none\r\n");
            while (!peer.line().isEmpty()) {}
            assertEquals("3", peer.line());
            assertEquals("one", peer.line());
            peer.send("3\r\ntwo\r\n0\r\n\r\n");
            assertEquals(List.of("3", "two", "0", ""), List.of(peer.line(), peer.line(), peer.line(), peer.line()));
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = peer.sendMeanwhile(sent);
            assertArrayEquals(sent, peer.read().body());
            sender.join();
            assertEquals(
                    "x",
                    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
                            .read()
                            .text());
            assertEquals("", peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void streams_of_the_jdk_do_the_same(Serving.Kind kind) throws IOException {
        var sent = random(1_000_000);
        HttpHandler app = request -> Response.blocking(
                        200, out -> request.blockingBody().inputStream().transferTo(out.outputStream()))
                .length(sent.length);
        try (var serving = kind.serve(app);
                var peer = serving.connect()) {
            for (int i = 0; i < 3; i++) {
                peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
                var sender = peer.sendMeanwhile(sent);
                assertArrayEquals(sent, peer.read().body());
                sender.join();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "NIO_POOL", "EPOLL_LOOP", "URING_POOL"})
    void a_virtual_thread_of_the_users_may_wait_anywhere(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> {
            var answer = new CompletableFuture<Response>();
            Thread.ofVirtual().start(() -> {
                try {
                    answer.complete(COUNTING.handle(request));
                } catch (Exception e) {
                    answer.completeExceptionally(e);
                }
            });
            return Response.later(answer);
        };
        try (var serving = kind.serve(app);
                var peer = serving.connect()) {
            for (int i = 0; i < 5; i++) {
                assertEquals(
                        "5 b",
                        peer.send(CHUNKED + "5\r\nhel")
                                .send("lo\r\n0\r\nA: b\r\n\r\n")
                                .read()
                                .text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "NIO_POOL", "EPOLL_LOOP", "EPOLL_POOL", "URING_LOOP", "URING_POOL"})
    void others_may_not(Serving.Kind kind) throws IOException {
        var thrown = new LinkedBlockingQueue<String>();
        try (var serving = kind.serve(request -> {
                    try {
                        return COUNTING.handle(request);
                    } catch (IllegalStateException e) {
                        thrown.add(String.valueOf(e.getMessage()));
                        throw e;
                    }
                });
                var peer = serving.connect()) {
            assertEquals(
                    500, peer.send(CHUNKED + "5\r\nhello\r\n0\r\n\r\n").read().status());
            assertTrue(String.valueOf(thrown.poll()).contains("Http.whole"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void a_value_that_is_waited_for_has_a_limit(Serving.Kind kind) throws IOException {
        long before = HttpGuards.BODY.count();
        try (var serving = kind.serve(HttpLimits.standard().bodyBytes(8), request -> Response.ok(request.text()));
                var peer = serving.connect()) {
            assertEquals(
                    413,
                    peer.send(CHUNKED + "9\r\nwonderful\r\n0\r\n\r\n").read().status());
            assertEquals(
                    "fine", peer.send(CHUNKED + "4\r\nfine\r\n0\r\n\r\n").read().text());
        }
        assertEquals(before + 1, HttpGuards.BODY.count());
    }

    /// Tells why the body was not complete.
    private static HttpHandler reading(Queue<Exception> heard) {
        return request -> {
            try {
                return Response.ok(request.text());
            } catch (UncheckedIOException e) {
                heard.add(e);
                throw e;
            }
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void who_waits_hears_of_a_peer_that_leaves(Serving.Kind kind) throws Exception {
        var heard = new LinkedBlockingQueue<Exception>();
        try (var serving = kind.serve(reading(heard))) {
            for (int i = 0; i < 5; i++) {
                try (var peer = serving.connect()) {
                    peer.send(CHUNKED + "5\r\nhello\r\n");
                    if (i % 2 == 0) peer.socket().setSoLinger(true, 0);
                }
                assertTrue(heard.poll(20, TimeUnit.SECONDS) != null);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void who_waits_hears_of_a_body_that_is_none(Serving.Kind kind) throws Exception {
        var heard = new LinkedBlockingQueue<Exception>();
        try (var serving = kind.serve(reading(heard));
                var peer = serving.connect()) {
            assertEquals(
                    400,
                    peer.send(CHUNKED + "5\r\nhello\r\nnonsense\r\n").read().status());
            peer.assertEnd();
            assertTrue(heard.poll(20, TimeUnit.SECONDS) != null);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void who_waits_asks_for_a_body_that_waits_for_100(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(COUNTING);
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertEquals(100, peer.read().status());
            assertEquals("5 -", peer.send("hello").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void what_is_left_of_it_is_dropped(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> {
            assertTrue(request.blockingBody().read());
            return Response.ok("enough");
        })) {
            for (int i = 0; i < 10; i++) {
                try (var peer = serving.connect()) {
                    assertEquals(
                            "enough", peer.send(CHUNKED + "3\r\none\r\n").read().text());
                    peer.assertEnd();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void what_a_handler_throws_that_has_waited_is_answered(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> {
                    throw new HttpError(422, request.text());
                });
                var peer = serving.connect()) {
            for (int i = 0; i < 10; i++) {
                assertEquals(
                        422, peer.send(CHUNKED + "3\r\none\r\n0\r\n\r\n").read().status());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void bodies_are_decoded_and_encoded_on_their_way(Serving.Kind kind) throws Exception {
        var text = Packed.text(3, 200_000);
        var packed = Packed.gzip(text);
        var app = Compression.gzip()
                .around(Decompression.upTo(1 << 20)
                        .around(request -> Response.blocking(
                                        200,
                                        out -> request.blockingBody()
                                                .inputStream()
                                                .transferTo(out.outputStream()))
                                .type("text/plain")));
        try (var serving = kind.serve(app);
                var peer = serving.connect()) {
            peer.send(
                            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nAccept-Encoding: gzip\r\nContent-Length: "
                                    + packed.length + "\r\n\r\n")
                    .send(packed);
            var reply = peer.read();
            assertEquals("gzip", reply.header("content-encoding"));
            try (var in = Packed.reader(io.millrace.http.coding.Coding.GZIP, reply.body())) {
                assertArrayEquals(text, in.readAllBytes());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_hears_of_a_peer_that_leaves(Serving.Kind kind) throws Exception {
        var ended = new CountDownLatch(1);
        var part = new byte[10_000];
        try (var serving = kind.serve(_ -> Response.blocking(200, out -> {
            try {
                while (true) out.outputStream().write(part);
            } finally {
                ended.countDown();
            }
        }))) {
            try (var peer = serving.connect()) {
                peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals("HTTP/1.1 200 OK", peer.line());
            }
            assertTrue(ended.await(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_that_throws_ends_its_response_in_the_middle(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(_ -> Response.blocking(200, out -> {
                    out.output().writeUtf8("half");
                    throw new IOException("on purpose");
                }));
                var peer = serving.connect()) {
            peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            var all = new String(peer.readAll(), java.nio.charset.StandardCharsets.US_ASCII);
            assertFalse(all.endsWith("0\r\n\r\n"), all);
        }
    }

    /// As a filter does that asks somebody first.
    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void a_handler_that_is_called_later_may_wait_too(Serving.Kind kind) throws Exception {
        HttpFilter asking = next -> request -> {
            var asked = CompletableFuture.supplyAsync(
                    () -> Response.status(204), CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
            return Response.later(asked).map(_ -> handled(next, request));
        };
        HttpFilter answered = next -> request -> Response.later(CompletableFuture.completedFuture(Response.status(204)))
                .map(_ -> handled(next, request));
        var called = new Semaphore(0);
        HttpHandler counting = request -> {
            called.release();
            return COUNTING.handle(request);
        };
        for (var filter : List.of(asking, answered)) {
            try (var serving = kind.serve(filter.around(counting));
                    var peer = serving.connect()) {
                for (int i = 0; i < 20; i++) {
                    called.drainPermits();
                    peer.send(CHUNKED + "3\r\none\r\n");
                    // The rest may come before the handler is called, or while it waits.
                    if (i % 2 == 0) called.acquire();
                    assertEquals(
                            "6 b",
                            peer.send("3\r\ntwo\r\n0\r\nA: b\r\n\r\n").read().text());
                    assertEquals("0 -", peer.get("/").read().text());
                }
            }
        }
    }

    private static Response handled(HttpHandler next, Request request) {
        try {
            return next.handle(request);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void an_error_of_a_handler_that_has_waited_is_answered(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> {
                    throw new AssertionError(request.text());
                });
                var peer = serving.connect()) {
            assertEquals(
                    500, peer.send(CHUNKED + "3\r\none\r\n0\r\n\r\n").read().status());
        }
    }

    /// What brings the body must not wait for it.
    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void a_loop_never_waits_for_a_body(Serving.Kind kind) throws Exception {
        HttpHandler app = request -> {
            var begun = new CompletableFuture<Response>();
            Thread.ofVirtual().start(() -> {
                try {
                    begun.complete(Response.ok("" + request.blockingBody().read()));
                } catch (IOException e) {
                    begun.completeExceptionally(e);
                }
            });
            return Response.later(begun).map(_ -> Response.ok(request.text()));
        };
        try (var serving = kind.serve(app);
                var peer = serving.connect()) {
            assertEquals(500, peer.send(CHUNKED + "3\r\none\r\n").read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_that_reads_has_its_peer_told_to_go_on(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(ECHO);
                var peer = serving.connect()) {
            peer.send(CHUNKED.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
            assertEquals(100, peer.read().status());
            assertEquals("hello", peer.send("5\r\nhello\r\n0\r\n\r\n").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL"})
    void a_body_has_one_reader(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> {
                    assertTrue(request.blockingBody().read());
                    return Response.duplex(200, (part, out) -> out.move(part));
                });
                var peer = serving.connect()) {
            assertEquals(500, peer.send(CHUNKED + "3\r\none\r\n").read().status());
        }
    }

    /// Both would wait for ever.
    @Test
    void a_handler_must_not_wait_for_a_thread_that_waits_for_the_body() throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        try (var serving = Serving.Kind.EPOLL_VIRTUAL.serve(request -> {
                    var helper = Thread.ofVirtual().start(() -> {
                        try {
                            var _ = request.text();
                        } catch (UncheckedIOException e) {
                            heard.add(String.valueOf(e.getMessage()));
                        }
                    });
                    helper.join();
                    return Response.ok("late");
                });
                var peer = serving.connect()) {
            assertEquals("late", peer.send(CHUNKED + "3\r\none\r\n").read().text());
            assertTrue(heard.remove().contains("Response.later"));
        }
    }

    @Test
    void without_a_server_it_is_written_and_read_at_once() throws Exception {
        var request = Request.post("/", Bytes.utf8("hello"));
        assertEquals("hello", ECHO.handle(request).text());
        assertEquals(
                "5 -", COUNTING.handle(Request.post("/", Bytes.utf8("hello"))).text());
        assertEquals("0 -", COUNTING.handle(Request.get("/")).text());
        var throwing = Response.blocking(200, _ -> {
            throw new IOException("on purpose");
        });
        assertThrows(IllegalStateException.class, throwing::text);
    }
}
