package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.server.Http;
import io.millrace.loop.CoreGuards;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a server does, wherever it runs.
class HttpTest {
    @ParameterizedTest
    @EnumSource
    void a_text_comes_with_length_date_and_media_type(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var peer = serving.connect()) {
            var reply = peer.get("/").read();
            assertEquals(200, reply.status());
            assertEquals("hello", reply.text());
            assertEquals("5", reply.header("content-length"));
            assertEquals("text/plain; charset=utf-8", reply.header("content-type"));
            assertTrue(reply.header("date")
                    .matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_serves_one_request_after_the_other(Serving.Kind kind) throws IOException {
        var count = new AtomicInteger();
        try (var serving = kind.serve(request -> Response.ok("no. " + count.incrementAndGet()));
                var peer = serving.connect()) {
            for (int i = 1; i <= 50; i++)
                assertEquals("no. " + i, peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void pipelined_requests_are_answered_in_order(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok(request.path()));
                var peer = serving.connect()) {
            var all = new StringBuilder();
            for (int i = 0; i < 1000; i++) all.append("GET /").append(i).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
            peer.send(all.toString());
            for (int i = 0; i < 1000; i++) assertEquals("/" + i, peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_(VIRTUAL|POOL)", mode = EnumSource.Mode.MATCH_ALL)
    void a_response_does_not_wait_for_the_handler_of_the_next_request(Serving.Kind kind) throws IOException {
        var goOn = new CountDownLatch(1);
        try (var serving = kind.serve(request -> {
                    if (request.path().equals("/3")) goOn.await();
                    return Response.ok(request.path());
                });
                var peer = serving.connect()) {
            var all = new StringBuilder();
            for (int i = 1; i <= 4; i++) all.append("GET /").append(i).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
            peer.send(all.toString());
            assertEquals("/1", peer.read().text());
            assertEquals("/2", peer.read().text());
            goOn.countDown();
            assertEquals("/3", peer.read().text());
            assertEquals("/4", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_VIRTUAL", mode = EnumSource.Mode.MATCH_ALL)
    void a_pipelined_request_finds_nothing_that_the_one_before_left_in_its_thread(Serving.Kind kind)
            throws IOException {
        var left = new ThreadLocal<String>();
        var loader = Thread.currentThread().getContextClassLoader();
        try (var serving = kind.serve(request -> {
                    var thread = Thread.currentThread();
                    var isItsOwn = thread.getContextClassLoader().equals(loader);
                    var found = thread.isInterrupted() + " " + thread.getName() + " " + isItsOwn;
                    switch (request.path()) {
                        case "/interrupt" -> thread.interrupt();
                        case "/name" -> thread.setName("mine");
                        case "/loader" -> thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
                        case "/local" -> left.set("mine");
                        // Asking for one leaves something, too.
                        default -> found += " " + left.get();
                    }
                    return Response.ok(found);
                });
                var peer = serving.connect()) {
            var paths = List.of("/interrupt", "/name", "/loader", "/local");
            var all = new StringBuilder();
            for (var path : paths) all.append("GET ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
            peer.send(all.toString()).get("/");
            for (var path : paths)
                assertEquals("false handler true", peer.read().text(), path);
            assertEquals("false handler true null", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_(VIRTUAL|POOL)", mode = EnumSource.Mode.MATCH_ALL)
    void a_response_behind_a_large_one_waits_for_no_handler(Serving.Kind kind) throws Exception {
        var isWaiting = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var large = Bytes.of(new byte[250_000]);
        try (var serving = kind.serve(request -> {
                    if (request.path().equals("/wait")) {
                        isWaiting.countDown();
                        goOn.await();
                    }
                    return request.path().equals("/large") ? Response.ok(large, "image/png") : Response.ok("small");
                });
                var peer = serving.connect()) {
            var all = new StringBuilder();
            for (var path : new String[] {"/large", "/small", "/wait"}) {
                all.append("GET ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
            }
            peer.send(all.toString());
            isWaiting.await();
            assertEquals(250_000, peer.read().body().length);
            assertEquals("small", peer.read().text());
            goOn.countDown();
            assertEquals("small", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_head_request_gets_fields_and_no_body(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var peer = serving.connect()) {
            peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("5", peer.read(false).header("content-length"));
            assertEquals("5", peer.read(false).header("content-length"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_comes_with_its_request(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request ->
                        Response.ok(request.body().readUtf8(request.body().remaining())));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertEquals("hello", peer.read().text());
            peer.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n");
            assertEquals("hello", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_large_body_comes_whole(Serving.Kind kind) throws IOException {
        var sent = new byte[900_000];
        new Random(1).nextBytes(sent);
        try (var serving = kind.serveWhole(request ->
                        Response.ok(request.body().readBytes(request.body().remaining()), "application/octet-stream"));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = peer.sendMeanwhile(sent);
            assertArrayEquals(sent, peer.read().body());
            sender.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_asks_is_told_to_continue(Serving.Kind kind) throws IOException {
        try (var serving = kind.serveWhole(request ->
                        Response.ok(request.body().readUtf8(request.body().remaining())));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertEquals(100, peer.read().status());
            assertEquals("hello", peer.send("hello").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_too_long_is_refused_before_it_is_sent(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(Http.whole(10, request -> Response.ok("?")));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
            var reply = peer.read();
            assertEquals(413, reply.status());
            assertEquals("close", reply.header("connection"));
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_throws_is_answered_with_500_and_tells_nothing(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> {
                    if (request.path().equals("/fine")) return Response.ok("fine");
                    throw new IllegalStateException("secret");
                });
                var peer = serving.connect()) {
            var reply = peer.get("/").read();
            assertEquals(500, reply.status());
            assertEquals("Internal Server Error\n", reply.text());
            assertEquals("fine", peer.get("/fine").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_may_throw_a_status(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> {
                    throw new HttpError(403, "secret");
                });
                var peer = serving.connect()) {
            assertEquals("Forbidden\n", peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_may_come_later_from_another_thread(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.later(CompletableFuture.supplyAsync(() ->
                                Response.ok(request.path() + request.header("x").orElse("?"))))
                        .map(response -> response.addHeader("X-Mapped", "yes")));
                var peer = serving.connect()) {
            peer.send("GET /a HTTP/1.1\r\nHost: a\r\nx: 1\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\nx: 2\r\n\r\n");
            var first = peer.read();
            assertEquals("/a1", first.text());
            assertEquals("yes", first.header("x-mapped"));
            assertEquals("/b2", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_later_response_that_fails_is_answered_with_500(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> Response.later(CompletableFuture.failedFuture(new IOException("secret"))));
                var peer = serving.connect()) {
            assertEquals(500, peer.get("/").read().status());
            assertEquals(500, peer.get("/").read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_may_close_its_connection(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("bye").close());
                var peer = serving.connect()) {
            var reply = peer.get("/").get("/").read();
            assertEquals("close", reply.header("connection"));
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_said_it_sends_nothing_more_is_not_waited_for(Serving.Kind kind) throws IOException {
        assertEquals(0, waitsBehind(kind, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void one_that_sends_more_nevertheless_is_waited_for(Serving.Kind kind) throws IOException {
        assertEquals(1, waitsBehind(kind, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET / "));
    }

    /// How often the end of a peer was waited for in vain that goes on sending behind its response.
    private static long waitsBehind(Serving.Kind kind, String request) throws IOException {
        long before = CoreGuards.LINGER.count();
        try (var serving = kind.serve(_ -> Response.ok("bye"));
                var peer = serving.connect()) {
            peer.send(request);
            assertEquals("bye", peer.read().text());
            peer.assertEnd();
            assertThrows(IOException.class, () -> {
                while (true) peer.send("x");
            });
        }
        return CoreGuards.LINGER.count() - before;
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_ends_gets_what_it_asked_for(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(
                        request -> Response.later(CompletableFuture.supplyAsync(() -> Response.ok("late"))));
                var peer = serving.connect()) {
            peer.get("/").get("/").end();
            assertEquals("late", peer.read().text());
            assertEquals("late", peer.read().text());
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_drain_lets_a_request_finish_and_closes_behind_it(Serving.Kind kind) throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CompletableFuture<Response>();
        try (var serving = kind.serve(request -> {
                    asked.countDown();
                    return Response.later(answer);
                });
                var peer = serving.connect();
                var idle = serving.connect()) {
            peer.get("/");
            asked.await();
            var drained = CompletableFuture.supplyAsync(() -> serving.server().drain(java.time.Duration.ofSeconds(20)));
            idle.assertEnd();
            answer.complete(Response.ok("done"));
            assertEquals("done", peer.read().text());
            peer.assertEnd();
            assertEquals(true, drained.join());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_is_over_when_its_response_is_complete(Serving.Kind kind) throws IOException {
        var kept = new AtomicReference<Request>();
        try (var serving = kind.serve(request -> {
                    kept.set(request);
                    return Response.ok("fine");
                });
                var peer = serving.connect()) {
            peer.get("/").read();
            assertThrows(IllegalStateException.class, () -> kept.get().header("host"));
            assertEquals("/", kept.get().path());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_large_value_is_sent(Serving.Kind kind) throws IOException {
        var large = Bytes.of(new byte[1_000_000]);
        try (var serving = kind.serve(request -> Response.ok(large, "application/octet-stream"));
                var peer = serving.connect()) {
            for (int i = 0; i < 3; i++)
                assertEquals(1_000_000, peer.get("/").read().body().length);
        }
    }
}
