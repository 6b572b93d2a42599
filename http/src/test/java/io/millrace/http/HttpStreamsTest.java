package io.millrace.http;

import static io.millrace.http.ZeroBodies.zeros;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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

/// Bodies that come bit by bit, in both directions, wherever a server runs.
class HttpStreamsTest {
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

    @ParameterizedTest
    @EnumSource(names = ".*_(VIRTUAL|POOL)", mode = EnumSource.Mode.MATCH_ALL)
    void a_part_of_a_stream_does_not_wait_for_the_next_one(Serving.Kind kind) throws IOException {
        var goOn = new CountDownLatch(1);
        var parts = new AtomicInteger();
        BodyWriter slow = out -> {
            if (parts.incrementAndGet() == 2) goOn.await();
            out.writeUtf8("part " + parts + "\r\n");
            return parts.get() < 3;
        };
        try (var serving = kind.serve(request -> Response.stream(200, slow));
                var peer = serving.connect()) {
            peer.get("/");
            var line = peer.line();
            while (!line.equals("part 1")) line = peer.line();
            goOn.countDown();
            while (!line.equals("part 3")) line = peer.line();
        }
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
        try (var serving = kind.serve(request -> Response.reading(new CountedBody()));
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

    @ParameterizedTest
    @EnumSource
    void a_reader_hears_of_a_peer_that_leaves(Serving.Kind kind) throws Exception {
        var aborted = new CountDownLatch(1);
        try (var serving = kind.serve(request -> Response.reading(new BodyReader() {
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
        }))) {
            try (var peer = serving.connect()) {
                peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhello");
            }
            aborted.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_echo_is_sent_back_while_it_arrives(Serving.Kind kind) throws IOException {
        var sent = new byte[5_000_000];
        new Random(2).nextBytes(sent);
        try (var serving = kind.serve(request -> Response.duplex(200, (part, out) -> out.move(part)));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + sent.length + "\r\n\r\n");
            var sender = peer.sendMeanwhile(sent);
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
        try (var serving = kind.serve(request -> Response.status(401));
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhello");
            var reply = peer.read();
            assertEquals(401, reply.status());
            assertEquals("close", reply.header("connection"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_may_be_chosen_later(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request ->
                        Response.later(CompletableFuture.supplyAsync(() -> Response.reading(new CountedBody()))));
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
        try (var serving = kind.serve(request -> {
                    asked.countDown();
                    return Response.later(chosen);
                });
                var peer = serving.connect()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                    .end();
            asked.await();
            chosen.complete(Response.reading(new CountedBody()));
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
