package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How connections of HTTP/2 end, and what is served before.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2EndsTest {
    @ParameterizedTest
    @EnumSource
    void a_drain_says_goodbye_serves_what_has_begun_and_closes(Serving.Kind kind) throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CompletableFuture<Response>();
        HttpHandler app = request -> {
            if (request.path().equals("/")) return Response.ok("hello");
            asked.countDown();
            return Response.later(answer);
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving);
                var idle = Http2Peer.of(serving)) {
            int id = peer.get("/late");
            asked.await();
            idle.sync();
            var drained = CompletableFuture.supplyAsync(() -> serving.server().drain(Duration.ofSeconds(20)));
            // The first goodbye only announces the second.
            peer.until(() -> peer.got.goAways == 1);
            assertEquals(Integer.MAX_VALUE, peer.got.goAwayLastId);
            peer.until(() -> peer.got.goAways == 2);
            assertEquals(id, peer.got.goAwayLastId);
            assertEquals(Http2Codes.NO_ERROR, peer.got.goAwayCode);
            idle.assertEnd();
            answer.complete(Response.ok("done"));
            assertEquals("done", peer.whole(id).text());
            peer.assertEnd();
            assertEquals(true, drained.join());
        }
    }

    /// It may not know yet, or not look at it: what it has begun before is served.
    @ParameterizedTest
    @EnumSource
    void requests_behind_the_goodbye_are_dropped_with_their_bodies_and_the_others_go_on(Serving.Kind kind)
            throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CompletableFuture<Response>();
        HttpHandler app = request -> {
            asked.countDown();
            return Response.later(answer);
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/late");
            asked.await();
            var drained = CompletableFuture.supplyAsync(() -> serving.server().drain(Duration.ofSeconds(20)));
            peer.until(() -> peer.got.goAways == 2);
            int late = peer.post("/");
            peer.send(new SentFrames()
                    .data(late, false, new byte[10_000])
                    .window(late, 1000)
                    .data(late, true, "end")
                    .reset(peer.post("/"), Http2Codes.CANCEL));
            peer.sync();
            answer.complete(Response.ok("done"));
            assertEquals("done", peer.whole(id).text());
            assertEquals(Http2Codes.NO_ERROR, peer.goodbye());
            assertEquals(true, drained.join());
        }
    }

    /// They go on for ever, but not when the server is stopping.
    @ParameterizedTest
    @EnumSource
    void a_drain_ends_streams_of_events(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> Response.events(stream -> stream.send("first")));
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            peer.until(() -> peer.got.stream(id).bodyBytes() > 0);
            var drained = CompletableFuture.supplyAsync(() -> serving.server().drain(Duration.ofSeconds(20)));
            assertTrue(peer.reply(id).isOver());
            peer.assertEnd();
            assertEquals(true, drained.join());
        }
    }

    @ParameterizedTest
    @EnumSource
    void streams_of_events_end_with_their_peer(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(1);
        HttpHandler app = request -> Response.events(stream -> {
            stream.onClose(closed::countDown);
            stream.send("first");
        });
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            peer.until(() -> peer.got.stream(id).bodyBytes() > 0);
            peer.end();
            peer.assertEnd();
            closed.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_may_close_its_connection_behind_the_others(Serving.Kind kind) throws IOException {
        HttpHandler app = request ->
                request.path().equals("/last") ? Response.ok("last").close() : Response.ok("x".repeat(100_000));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int long0 = peer.get("/");
            int last = peer.get("/last");
            assertEquals("last", peer.whole(last).text());
            assertEquals(100_000, peer.whole(long0).bodyBytes());
            assertEquals(Http2Codes.NO_ERROR, peer.goodbye());
            assertEquals("", peer.got.stream(last).header("connection"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_ends_gets_what_it_asked_for(Serving.Kind kind) throws IOException {
        var answer = new CompletableFuture<Response>();
        var asked = new CountDownLatch(2);
        try (var serving = kind.serve(request -> {
                    asked.countDown();
                    return Response.later(answer);
                });
                var peer = Http2Peer.of(serving)) {
            int first = peer.get("/");
            int second = peer.get("/");
            peer.sync();
            peer.end();
            answer.complete(Response.ok("late"));
            assertEquals("late", peer.whole(first).text());
            assertEquals("late", peer.whole(second).text());
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_says_goodbye_gets_what_it_asked_for(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("x".repeat(200_000)));
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            peer.send(new SentFrames().goAway(0, Http2Codes.NO_ERROR));
            assertEquals(200_000, peer.whole(id).bodyBytes());
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_address_has_so_many_connections_and_they_are_released(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HttpLimits.standard().connectionsPerAddress(2), request -> Response.ok("fine"));
                var first = Http2Peer.of(serving)) {
            assertEquals(200, first.whole(first.get("/")).status);
            try (var second = Http2Peer.of(serving)) {
                assertEquals(200, second.whole(second.get("/")).status);
                assertThrows(IOException.class, () -> askOnce(serving));
            }
            assertServedAgain(serving);
        }
    }

    private static int askOnce(Serving serving) throws IOException {
        try (var peer = Http2Peer.of(serving)) {
            return peer.whole(peer.get("/")).status;
        }
    }

    /// A connection is gone when its end has been seen.
    private static void assertServedAgain(Serving serving) {
        for (int i = 0; i < 10_000; i++) {
            try {
                if (askOnce(serving) == 200) return;
            } catch (IOException _) {
                // The one before is not gone yet.
            }
        }
        throw new AssertionError("never served again");
    }

    @ParameterizedTest
    @EnumSource
    void connections_that_die_with_requests_leave_nothing(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> Response.duplex(200, (part, out) -> out.move(part));
        try (var serving = kind.serve(app)) {
            for (int i = 0; i < 20; i++) {
                try (var peer = Http2Peer.of(serving).givesNoWindow()) {
                    for (int k = 0; k < 5; k++) peer.part(peer.post("/"), new byte[10_000 * k + 1], k == 3);
                    if (i % 2 == 0) peer.sync();
                }
            }
            try (var peer = Http2Peer.of(serving)) {
                int id = peer.post("/");
                assertTrue(peer.body(id, new byte[10]).whole(id).hasEnded);
            }
        }
    }
}
