package io.millrace.http.h2;

import static io.millrace.http.ZeroBodies.zeros;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.CountedBody;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies that come bit by bit, and what windows do with them (RFC 9113 section 5.2).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2WindowsTest {
    /// More than all windows and queues of a stream.
    private static final int MUCH = 4 << 20;

    @ParameterizedTest
    @EnumSource
    void a_stream_goes_on_as_the_peer_takes_it(Serving.Kind kind) throws IOException {
        long length = 20_000_000;
        try (var serving = kind.serve(
                        request -> Response.stream(200, zeros(length)).length(length));
                var peer = Http2Peer.of(serving)) {
            assertEquals(length, peer.whole(peer.get("/")).bodyBytes());
            assertEquals(length, peer.whole(peer.get("/")).bodyBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_more_is_sent_than_the_window_of_a_stream_and_others_go_on(Serving.Kind kind) throws IOException {
        HttpHandler app =
                request -> request.path().equals("/") ? Response.ok("hello") : Response.stream(200, zeros(100_000));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 1_000).givesNoWindow()) {
            int id = peer.get("/zeros");
            peer.until(() -> peer.got.stream(id).bodyBytes() == 1_000);
            assertEquals("hello", peer.whole(peer.get("/")).text());
            assertEquals(1_000, peer.got.stream(id).bodyBytes());
            more(peer, id, 500);
            peer.until(() -> peer.got.stream(id).bodyBytes() == 1_500);
            more(peer, 0, 100_000);
            more(peer, id, 100_000);
            assertEquals(100_000, peer.whole(id).bodyBytes());
        }
    }

    private static void more(Http2Peer peer, int id, int bytes) throws IOException {
        peer.got.more(id, bytes);
        peer.flush();
    }

    /// As over HTTP/1.1, where both share the connection.
    @ParameterizedTest
    @EnumSource
    void a_duplex_whose_response_is_not_taken_reads_no_more_of_its_request(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.duplex(200, (part, out) -> out.move(part)));
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            int id = peer.post("/");
            int sent = 0;
            for (int room = peer.got.room(id);
                    room > 0 && sent < MUCH;
                    room = peer.sync().got.room(id)) {
                peer.part(id, new byte[room], false);
                sent += room;
            }
            assertTrue(sent < MUCH, "it takes whatever comes");
            more(peer, 0, MUCH);
            more(peer, id, MUCH);
            peer.body(id, new byte[0]);
            assertEquals(sent, peer.whole(id).bodyBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_more_is_sent_than_the_window_of_the_connection(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("x".repeat(50_000)));
                var peer = Http2Peer.of(serving, 1 << 20).givesNoWindow()) {
            int first = peer.get("/");
            int second = peer.get("/");
            peer.until(() ->
                    peer.got.stream(first).bodyBytes() + peer.got.stream(second).bodyBytes() == 65_535);
            peer.sync();
            more(peer, 0, 100_000);
            assertEquals(50_000, peer.whole(first).bodyBytes());
            assertEquals(50_000, peer.whole(second).bodyBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_head_and_an_empty_end_need_no_window(Serving.Kind kind) throws IOException {
        HttpHandler app =
                request -> request.path().equals("/none") ? Response.stream(200, _ -> false) : Response.status(204);
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            assertEquals(204, peer.whole(peer.get("/")).status);
            assertEquals(0, peer.whole(peer.get("/none")).bodyBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_window_of_a_byte_passes_a_body_byte_by_byte(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("hello"));
                var peer = Http2Peer.of(serving, 1)) {
            assertEquals("hello", peer.whole(peer.get("/")).text());
            assertEquals(5, peer.got.log.stream().filter("0 1"::equals).count());
        }
    }

    /// On threads it does, too, as far as they are quicker than the peer.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ANY)
    void a_stream_has_its_turns_beside_a_large_response(Serving.Kind kind) throws IOException {
        int length = 16 << 20;
        HttpHandler app = request -> request.path().equals("/large")
                ? Response.ok("x".repeat(length))
                : Response.stream(200, zeros(150_000));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            int zeros = peer.get("/zeros");
            peer.head(zeros);
            int large = peer.get("/large");
            peer.head(large);
            for (int id : List.of(zeros, large, 0)) more(peer, id, 1 << 30);
            assertEquals(150_000, peer.whole(zeros).bodyBytes());
            assertTrue(peer.got.stream(large).bodyBytes() < length);
        }
    }

    /// Writes the last bytes of a window, and then more than it has left.
    private static final class Crumbs implements BodyWriter {
        private final CountDownLatch mayLeaveFew = new CountDownLatch(1);
        private final CountDownLatch mayExceed = new CountDownLatch(1);
        private final CountDownLatch isLast = new CountDownLatch(3);

        @Override
        public boolean write(Output out) throws IOException {
            isLast.countDown();
            try {
                switch ((int) isLast.getCount()) {
                    case 2 -> out.write(new byte[960], 0, 960);
                    case 1 -> {
                        mayLeaveFew.await();
                        out.write(new byte[30], 0, 30);
                    }
                    default -> {
                        mayExceed.await();
                        out.write(new byte[100], 0, 100);
                        return false;
                    }
                }
                return true;
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_POOL", mode = EnumSource.Mode.MATCH_ANY)
    void a_stream_whose_window_is_too_short_now_keeps_no_other_waiting(Serving.Kind kind) throws Exception {
        var crumbs = new Crumbs();
        HttpHandler app = request -> request.path().equals("/crumbs")
                ? Response.stream(200, crumbs)
                : Response.ok("x".repeat(Integer.parseInt(request.path().substring(1))));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 1_000).givesNoWindow()) {
            int first = peer.get("/crumbs");
            peer.until(() -> peer.got.stream(first).bodyBytes() == 960);
            for (int i = 0; i < 64; i++) peer.whole(peer.get("/1000"));
            peer.whole(peer.get("/575"));
            crumbs.mayLeaveFew.countDown();
            crumbs.isLast.await();
            crumbs.mayExceed.countDown();
            int second = peer.get("/5");
            peer.head(second);
            peer.sync();
            more(peer, 0, 10_000);
            peer.whole(second);
            peer.until(() -> peer.got.stream(first).bodyBytes() == 1_000);
            assertEquals(
                    "0 " + first,
                    peer.got.log.stream()
                            .filter(at -> at.startsWith("0 "))
                            .toList()
                            .getLast());
        }
    }

    @Test
    void a_request_that_waits_for_the_peer_begins_when_some_of_what_waits_was_sent() throws IOException {
        var loops = EventLoops.of(1);
        var listen = Serving.free(loops).outputLimit(100_000);
        HttpHandler app = request ->
                Response.ok("x".repeat(Integer.parseInt(request.path().substring(1))));
        try (var serving = new Serving(loops, Http.serve(listen, app));
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            peer.head(peer.get("/90000"));
            int second = peer.get("/50000");
            peer.head(second);
            int third = peer.get("/5");
            more(peer, third, 100);
            more(peer, second, 45_000);
            assertEquals(5, peer.whole(third).bodyBytes());
        }
    }

    /// What others leave unread is not more than half of the connection's window.
    @ParameterizedTest
    @EnumSource
    void a_body_goes_on_in_what_others_leave_of_the_connections_window(Serving.Kind kind) throws IOException {
        var late = new CompletableFuture<Response>();
        HttpHandler app =
                request -> request.path().equals("/late") ? Response.later(late) : Response.reading(new CountedBody());
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 10; i++) peer.part(peer.post("/late"), new byte[65_535], false);
            int id = peer.post("/");
            peer.body(id, new byte[2_000_000]);
            assertEquals("2000000", peer.whole(id).text());
            late.complete(Response.ok("late"));
        }
    }

    /// Whatever they have been given to send.
    @ParameterizedTest
    @EnumSource
    void streams_whose_windows_are_shut_hold_up_no_others(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> switch (request.path()) {
            case "/" -> Response.ok("hello");
            case "/whole" -> Response.ok("x".repeat(100_000));
            default -> Response.stream(200, zeros(1_000_000));
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            more(peer, 0, 10_000_000);
            for (int i = 0; i < 20; i++) {
                peer.get("/zeros");
                peer.get("/whole");
            }
            assertEquals("hello", opened(peer, peer.get("/"), 5).text());
            assertEquals(1_000_000, opened(peer, peer.get("/zeros"), 1_000_000).bodyBytes());
            assertEquals(100_000, opened(peer, peer.get("/whole"), 100_000).bodyBytes());
            assertEquals(1_000_000, opened(peer, 1, 1_000_000).bodyBytes());
        }
    }

    private static GotStream opened(Http2Peer peer, int id, int bytes) throws IOException {
        more(peer, id, bytes);
        return peer.whole(id);
    }

    /// RFC 9113 section 6.9.2.
    @ParameterizedTest
    @EnumSource
    void settings_change_the_windows_of_open_streams(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.stream(200, zeros(50_000)));
                var peer = Http2Peer.of(serving, 10_000).givesNoWindow()) {
            int id = peer.get("/");
            peer.until(() -> peer.got.stream(id).bodyBytes() == 10_000);
            resize(peer, 4_000);
            more(peer, id, 6_000);
            peer.sync();
            assertEquals(10_000, peer.got.stream(id).bodyBytes());
            more(peer, id, 100);
            peer.until(() -> peer.got.stream(id).bodyBytes() == 10_100);
            resize(peer, 60_000);
            assertEquals(50_000, peer.whole(id).bodyBytes());
        }
    }

    /// What was ready to be sent, but for the window of the connection, is not any more.
    @ParameterizedTest
    @EnumSource
    void settings_shut_the_windows_of_streams_that_wait_for_that_of_the_connection(Serving.Kind kind)
            throws IOException {
        HttpHandler app = request -> Response.ok("x".repeat(request.path().equals("/") ? 100 : 80_000));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 1 << 20).givesNoWindow()) {
            int waiting = peer.get("/much");
            peer.until(() -> peer.got.stream(waiting).bodyBytes() == Http2Codes.USUAL_WINDOW);
            resize(peer, 0);
            int next = peer.get("/");
            more(peer, 0, 100_000);
            more(peer, next, 100);
            assertEquals("x".repeat(100), peer.whole(next).text());
            assertEquals(Http2Codes.USUAL_WINDOW, peer.got.stream(waiting).bodyBytes());
            resize(peer, 1 << 20);
            assertEquals(80_000, peer.whole(waiting).bodyBytes());
        }
    }

    /// Each small frame would make a small window, and that the next small frame.
    @ParameterizedTest
    @EnumSource
    void a_window_that_opens_bit_by_bit_is_used_once_it_is_worth_a_frame(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.ok("x".repeat(50_000)));
                var peer = Http2Peer.of(serving, 1_000).givesNoWindow()) {
            int id = peer.get("/");
            peer.until(() -> peer.got.stream(id).bodyBytes() == 1_000);
            for (int i = 0; i < 6; i++) more(peer, id, 10);
            peer.sync();
            assertEquals(1_000, peer.got.stream(id).bodyBytes());
            more(peer, id, 10);
            peer.until(() -> peer.got.stream(id).bodyBytes() == 1_070);
        }
    }

    private static void resize(Http2Peer peer, int windowBytes) throws IOException {
        peer.got.resized(windowBytes);
        peer.send(new SentFrames().settings(Http2Codes.WINDOW, windowBytes));
    }

    /// A stream's window is given back when the handler has taken what came, and no sooner.
    @ParameterizedTest
    @EnumSource
    void a_body_that_nobody_reads_is_not_given_room(Serving.Kind kind) throws Exception {
        var late = new CompletableFuture<Response>();
        HttpHandler app = request -> request.path().equals("/") ? Response.ok("hello") : Response.later(late);
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/late");
            peer.part(id, new byte[Http2Codes.USUAL_WINDOW], false);
            assertEquals("hello", peer.whole(peer.get("/")).text());
            peer.sync();
            assertEquals(0, peer.got.room(id));
            late.complete(Response.reading(new CountedBody()));
            peer.until(() -> peer.got.room(id) > 0);
            assertEquals("75535", peer.body(id, new byte[10_000]).whole(id).text());
        }
    }

    /// What is dropped is given back to the window of the connection, so that it is never used up.
    @ParameterizedTest
    @EnumSource
    void bodies_that_nobody_reads_do_not_use_up_the_connection(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(_ -> Response.ok("hello"));
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 100; i++) {
                int id = peer.post("/");
                peer.part(id, new byte[30_000], true);
                assertEquals("hello", peer.whole(id).text());
            }
        }
    }
}
