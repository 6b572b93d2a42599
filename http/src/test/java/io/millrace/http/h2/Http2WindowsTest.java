package io.millrace.http.h2;

import static io.millrace.http.ZeroBodies.zeros;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.CountedBody;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.server.Http;
import io.millrace.loop.CoreGuards;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bodies that come bit by bit, and what windows do with them (RFC 9113 section 5.2).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2WindowsTest {
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

    /// Takes a beginning, and then only what is whole.
    private static final class Records implements BodyReader {
        private final int[] lengths;
        private final CompletableFuture<Boolean> hasBegun = new CompletableFuture<>();
        private int next;
        private long taken;

        Records(int... lengths) {
            this.lengths = lengths;
        }

        @Override
        public void onBody(Input part) {
            while (next < lengths.length && part.remaining() >= lengths[next]) {
                part.skip(lengths[next]);
                taken += lengths[next++];
                hasBegun.complete(true);
            }
        }

        @Override
        public Response onEnd() {
            return Response.ok("" + taken);
        }
    }

    /// The rest of the window is not for more of the beginning.
    @ParameterizedTest
    @EnumSource
    void a_reader_that_waits_for_as_much_as_fits_into_a_window_gets_it(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new Records(25_000, 60_000, 5_000)));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.body(id, new byte[90_000]);
            assertEquals("90000", peer.whole(id).text());
        }
    }

    /// A window that is open when a record is taken is no reason to leave it shut later.
    @ParameterizedTest
    @EnumSource
    void a_reader_that_takes_nothing_of_what_came_last_gets_more(Serving.Kind kind) throws IOException {
        var records = new Records(25_000, 60_000, 5_000);
        try (var serving = kind.serve(request -> Response.reading(records));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.part(id, new byte[Http2Codes.USUAL_WINDOW / 2], false);
            records.hasBegun.join();
            peer.body(id, new byte[90_000 - Http2Codes.USUAL_WINDOW / 2]);
            assertEquals("90000", peer.whole(id).text());
        }
    }

    /// As over HTTP/1.1: a record may be as long as what a handler may leave unread, and no longer.
    @ParameterizedTest
    @EnumSource
    void a_reader_may_wait_for_as_much_as_the_input_limit(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new Records(64 << 10, 64 << 10)));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.body(id, new byte[128 << 10]);
            assertEquals("131072", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_that_leaves_more_than_the_input_limit_fails_at_once(Serving.Kind kind) throws IOException {
        long before = CoreGuards.INPUT_UNREAD.count();
        try (var serving = kind.serve(request -> Response.reading(new Records(25_000, 100_000)));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.part(id, new byte[25_000 + (64 << 10)], false);
            assertEquals(500, peer.head(id).status);
            assertTrue(CoreGuards.INPUT_UNREAD.count() > before);
        }
    }

    @Test
    void a_reader_may_wait_for_more_where_the_listener_says_so() throws IOException {
        var loops = EventLoops.of(1);
        var listen = Serving.free(loops).inputLimit(256 << 10);
        HttpHandler app = request -> Response.reading(new Records(200_000, 200_000));
        try (var serving = new Serving(loops, Http.serve(listen, app));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.body(id, new byte[400_000]);
            assertEquals("400000", peer.whole(id).text());
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
