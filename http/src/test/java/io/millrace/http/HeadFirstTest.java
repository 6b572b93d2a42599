package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Handlers are called when a head is there, wherever they stand, and bodies are values where somebody has said so.
class HeadFirstTest {
    private static final String LONG = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    private static final String CHUNKED = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String SHORT = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";

    /// Where a handler can stand.
    private static List<HttpHandler> around(HttpHandler handler) {
        HttpFilter filter = next -> request -> next.handle(request.setHeader("X-A", "b"));
        return List.of(
                handler,
                request -> handler.handle(request),
                filter.around(handler),
                Routes.of().post("/a", handler),
                Routes.of().post("/{name}", (request, _) -> handler.handle(request)),
                Routes.of().otherwise(handler).filter(filter));
    }

    /// What has come when the body has.
    private static final class Counting implements BodyReader {
        private long bytes;

        @Override
        public void onBody(Input part) {
            bytes += part.remaining();
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok("" + bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_answers_in_front_of_a_body_wherever_it_stands(Serving.Kind kind) throws IOException {
        for (var app : around(_ -> Response.status(403))) {
            try (var serving = kind.serve(app);
                    var peer = serving.connect()) {
                assertEquals(403, peer.send(LONG).read().status());
                peer.assertEnd();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_streams_wherever_its_handler_stands(Serving.Kind kind) throws IOException {
        for (var app : around(_ -> Response.duplex(200, (part, out) -> out.move(part)))) {
            try (var serving = kind.serve(app);
                    var peer = serving.connect()) {
                peer.send(CHUNKED + "3\r\none\r\n");
                while (!peer.line().isEmpty()) {}
                assertEquals("3", peer.line());
                assertEquals("one", peer.line());
                peer.send("3\r\ntwo\r\n0\r\n\r\n");
                assertEquals("3", peer.line());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_is_a_value_behind_whole_wherever_that_stands(Serving.Kind kind) throws IOException {
        for (var app : around(Http.whole(1 << 20, request -> Response.ok(request.text() + request.trailers())))) {
            try (var serving = kind.serve(app);
                    var peer = serving.connect()) {
                assertEquals("hello", peer.send(SHORT).read().text());
                assertEquals(
                        "hello you" + Headers.builder().add("A", "b").build(),
                        peer.send(CHUNKED + "5\r\nhello\r\n")
                                .send("4\r\n you\r\n0\r\nA: b\r\n\r\n")
                                .read()
                                .text());
                assertEquals(
                        "",
                        peer.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                                .read()
                                .text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void filters_stand_on_either_side_of_whole(Serving.Kind kind) throws IOException {
        HttpFilter inside = next -> request ->
                next.handle(request.setHeader("X-Length", "" + request.text().length()));
        HttpFilter outside =
                next -> request -> next.handle(request).map(response -> response.setHeader("X-Out", "side"));
        HttpHandler app = request ->
                Response.ok(request.text() + request.header("X-Length").orElse(""));
        try (var serving = kind.serve(outside.around(Http.whole(100).around(inside.around(app))));
                var peer = serving.connect()) {
            var reply = peer.send(SHORT).read();
            assertEquals("hello5", reply.text());
            assertEquals("side", reply.header("x-out"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_value_that_would_be_too_long_is_413(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(Http.whole(4, _ -> Response.ok("?")));
                var one = serving.connect();
                var other = serving.connect()) {
            assertEquals(413, one.send(SHORT).read().status());
            assertEquals(413, other.send(CHUNKED + "5\r\nhello\r\n").read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_thrown_behind_whole_is_answered_as_elsewhere(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(Http.whole(10, request -> {
                    throw new HttpError(422, request.text());
                }));
                var peer = serving.connect()) {
            assertEquals(422, peer.send(SHORT).read().status());
            assertEquals(422, peer.send(SHORT).read().status());
        }
    }

    /// Whether bytes happen to be there or not.
    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void on_the_loop_a_body_that_is_to_come_is_no_value(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> {
            try {
                return Response.ok(request.text());
            } catch (IllegalStateException e) {
                return Response.of(500, "text/plain", String.valueOf(e.getMessage()));
            }
        })) {
            for (var request : List.of(SHORT, CHUNKED + "5\r\nhello\r\n0\r\n\r\n")) {
                try (var peer = serving.connect()) {
                    var reply = peer.send(request).read();
                    assertEquals(500, reply.status());
                    assertTrue(reply.text().contains("POST /a") && reply.text().contains("Http.whole"), reply.text());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_VIRTUAL", "EPOLL_VIRTUAL", "URING_VIRTUAL", "NIO_POOL", "EPOLL_POOL", "URING_POOL"})
    void elsewhere_a_short_body_of_known_length_is_one(Serving.Kind kind) throws IOException {
        var calls = new AtomicInteger();
        try (var serving = kind.serve(request -> {
                    calls.incrementAndGet();
                    return Response.ok(request.text());
                });
                var peer = serving.connect();
                var other = serving.connect()) {
            peer.send(SHORT.substring(0, SHORT.length() - 1));
            // Somebody else is served meanwhile, and the handler waits for nobody.
            assertEquals("hello", other.send(SHORT).read().text());
            assertEquals(1, calls.get());
            assertEquals("hello", peer.send("o").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_waits_for_100_hears_it_when_somebody_wants_the_body(Serving.Kind kind) throws IOException {
        var expecting = SHORT.replace("\r\n\r\nhello", "\r\nExpect: 100-continue\r\n\r\n");
        HttpHandler app = request ->
                request.header("X-Stop").isPresent() ? Response.status(417) : Response.reading(new Counting());
        try (var serving = kind.serve(app);
                var peer = serving.connect();
                var refused = serving.connect()) {
            assertEquals(100, peer.send(expecting).read().status());
            assertEquals("5", peer.send("hello").read().text());
            // Whether a body follows nobody knows then.
            assertEquals(
                    417,
                    refused.send(expecting.replace("Expect", "X-Stop: 1\r\nExpect"))
                            .read()
                            .status());
            refused.assertEnd();
        }
    }

    @Test
    void a_length_that_makes_no_sense_is_refused() {
        org.junit.jupiter.api.Assertions.assertThrows(IllegalArgumentException.class, () -> Http.whole(-1));
    }
}
