package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
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
        try (var serving = kind.serve(request ->
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
        try (var serving = kind.serve(request ->
                        Response.ok(request.body().readBytes(request.body().remaining()), "application/octet-stream"));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = CompletableFuture.runAsync(() -> send(peer, sent));
            assertArrayEquals(sent, peer.read().body());
            sender.join();
        }
    }

    private static void send(WebPeer peer, byte[] bytes) {
        try {
            peer.send(bytes);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_asks_is_told_to_continue(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request ->
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
        try (var serving = kind.serve(HttpLimits.standard().withBodyBytes(10), request -> Response.ok("?"));
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
                        .map(response -> response.header("X-Mapped", "yes")));
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
    void a_stream_is_sent_in_chunks_as_it_is_written(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.stream(200, lines(3)));
                var peer = serving.connect()) {
            var reply = peer.get("/").read();
            assertEquals("chunked", reply.header("transfer-encoding"));
            assertEquals("3\n2\n1\n", reply.text());
            assertEquals("3\n2\n1\n", peer.get("/").read().text());
        }
    }

    private static BodyWriter lines(int count) {
        var left = new AtomicInteger(count);
        return out -> {
            out.writeUtf8(left.get() + "\n");
            return left.decrementAndGet() > 0;
        };
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_goes_on_as_the_peer_takes_it(Serving.Kind kind) throws IOException {
        long length = 20_000_000;
        try (var serving = kind.serve(
                        request -> Response.stream(200, zeros(length)).length(length));
                var peer = serving.connect()) {
            assertEquals(length, peer.get("/").read().body().length);
            assertEquals(length, peer.get("/").read().body().length);
        }
    }

    private static BodyWriter zeros(long length) {
        var part = new byte[10_000];
        var left = new long[] {length};
        return out -> {
            out.write(part, 0, (int) Math.min(left[0], part.length));
            left[0] -= part.length;
            return left[0] > 0;
        };
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_that_is_not_as_long_as_it_said_drops_the_connection(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.stream(200, lines(3)).length(100));
                var peer = serving.connect()) {
            peer.get("/");
            assertThrows(IOException.class, peer::read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_of_the_old_days_gets_its_stream_until_the_end(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.stream(200, lines(2)));
                var peer = serving.connect()) {
            peer.send("GET / HTTP/1.0\r\n\r\n");
            assertEquals("2\n1\n", peer.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_gets_a_body_as_it_arrives_and_answers_at_its_end(Serving.Kind kind) throws IOException {
        var sent = new byte[3_000_000];
        try (var serving = kind.serve(HttpHandler.streaming(request -> Response.reading(new Counting())));
                var peer = serving.connect()) {
            for (int i = 0; i < 2; i++) {
                peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n")
                        .send(sent);
                assertEquals("3000000", peer.read().text());
            }
            peer.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n1\r\ne\r\n0\r\n\r\n");
            assertEquals("5", peer.read().text());
        }
    }

    private static final class Counting implements BodyReader {
        private long count;

        @Override
        public void onBody(Input part) {
            count += part.remaining();
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok(Long.toString(count));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_hears_of_a_peer_that_leaves(Serving.Kind kind) throws Exception {
        var aborted = new CountDownLatch(1);
        try (var serving = kind.serve(HttpHandler.streaming(request -> Response.reading(new BodyReader() {
            @Override
            public void onBody(Input part) {
                part.skip(part.remaining());
            }

            @Override
            public Response onEnd() {
                throw new AssertionError("there is no end");
            }

            @Override
            public void onAbort() {
                aborted.countDown();
            }
        })))) {
            try (var peer = serving.connect()) {
                peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello");
            }
            aborted.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_is_sent_back_while_it_arrives(Serving.Kind kind) throws IOException {
        var sent = new byte[5_000_000];
        new Random(2).nextBytes(sent);
        try (var serving = kind.serve(
                        HttpHandler.streaming(request -> Response.duplex(200, (part, out) -> out.move(part))));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = CompletableFuture.runAsync(() -> send(peer, sent));
            assertArrayEquals(sent, peer.read().body());
            sender.join();
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
            assertEquals("x", peer.read().text());
            assertEquals("", peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_streaming_handler_that_answers_at_once_closes_behind_its_answer(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HttpHandler.streaming(request -> Response.status(401)));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello");
            var reply = peer.read();
            assertEquals(401, reply.status());
            assertEquals("close", reply.header("connection"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_may_be_chosen_later(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HttpHandler.streaming(request ->
                        Response.later(CompletableFuture.supplyAsync(() -> Response.reading(new Counting())))));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertEquals("5", peer.read().text());
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertEquals(100, peer.read().status());
            assertEquals("5", peer.send("hello").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_ends_before_its_reader_is_chosen_is_told(Serving.Kind kind) throws Exception {
        var asked = new CountDownLatch(1);
        var chosen = new CompletableFuture<Response>();
        try (var serving = kind.serve(HttpHandler.streaming(request -> {
                    asked.countDown();
                    return Response.later(chosen);
                }));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n").end();
            asked.await();
            chosen.complete(Response.reading(new Counting()));
            assertEquals(400, peer.read().status());
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void another_thread_may_look_at_a_request_while_its_response_is_awaited(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.later(CompletableFuture.supplyAsync(
                        () -> Response.ok(request.header("x").orElse("?")))));
                var peer = serving.connect();
                var other = serving.connect()) {
            for (int i = 0; i < 200; i++) {
                peer.send("GET / HTTP/1.1\r\nHost: a\r\nx: mine" + i + "\r\n\r\n");
                other.send("GET / HTTP/1.1\r\nHost: a\r\nx: yours" + i + "\r\n\r\n");
                assertEquals("mine" + i, peer.read().text());
                assertEquals("yours" + i, other.read().text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void events_come_from_any_thread_until_the_stream_ends(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.events(stream -> Thread.startVirtualThread(() -> {
                    stream.send("one");
                    stream.send("named", "two\nlines");
                    stream.close();
                })));
                var peer = serving.connect()) {
            var reply = peer.get("/").read();
            assertEquals("text/event-stream", reply.header("content-type"));
            assertEquals("data: one\n\nevent: named\ndata: two\ndata: lines\n\n", reply.text());
            assertEquals(
                    "data: one\n\nevent: named\ndata: two\ndata: lines\n\n",
                    peer.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_of_events_hears_of_a_peer_that_leaves(Serving.Kind kind) throws Exception {
        var gone = new CountDownLatch(1);
        var opened = new AtomicReference<EventStream>();
        try (var serving = kind.serve(request -> Response.events(stream -> {
            opened.set(stream);
            stream.onClose(gone::countDown);
            stream.send("hello");
        }))) {
            try (var peer = serving.connect()) {
                peer.get("/").line();
            }
            gone.await();
            assertEquals(false, opened.get().send("too late"));
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

    @ParameterizedTest
    @EnumSource
    void a_writer_is_closed_once_whatever_happens(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(2);
        try (var serving = kind.serve(request -> Response.stream(200, new BodyWriter() {
            @Override
            public boolean write(Output out) {
                out.writeUtf8("x".repeat(1000));
                return !request.path().equals("/short");
            }

            @Override
            public void onClose() {
                closed.countDown();
            }
        }))) {
            try (var peer = serving.connect()) {
                peer.get("/short").read();
            }
            try (var peer = serving.connect()) {
                peer.get("/endless").line();
            }
            closed.await();
        }
    }
}
