package io.millrace.http.h2;

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
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Readers that take nothing of a body until more of it is there, and what windows do for them.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ReadersTest {
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

    @ParameterizedTest
    @EnumSource
    void a_window_grows_to_512_KiB_while_its_body_is_read_quickly(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new CountedBody()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.body(id, new byte[4 << 20]);
            assertEquals("" + (4 << 20), peer.whole(id).text());
            long widest = peer.got.widest;
            assertTrue(256 << 10 < widest && widest <= 512 << 10, () -> "a window of " + widest);
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

    /// Each might get what it waits for, but not all of them.
    @ParameterizedTest
    @EnumSource
    void readers_that_fill_the_connections_window_and_wait_for_more_lose_one_of_them(Serving.Kind kind)
            throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new Records(65_000)));
                var peer = Http2Peer.of(serving)) {
            var ids = new ArrayList<Integer>();
            for (int i = 0; i < 17; i++) ids.add(peer.post("/"));
            for (int id : ids) peer.part(id, new byte[61_680], false);
            peer.until(() -> ids.removeIf(id -> peer.got.stream(id).status == 500));
            assertEquals(16, ids.size());
            for (int id : ids) {
                peer.body(id, new byte[3_320]);
                assertEquals("65000", peer.whole(id).text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reader_that_waits_is_not_lost_for_one_whose_rest_has_come_meanwhile(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new Records(65_000)));
                var peer = Http2Peer.of(serving)) {
            var ids = new ArrayList<Integer>();
            for (int i = 0; i < 17; i++) ids.add(peer.post("/"));
            int first = ids.removeFirst();
            int last = ids.getLast();
            peer.part(first, new byte[30_000], false);
            for (int id : ids) peer.part(id, new byte[61_680], false);
            peer.sync();
            peer.got.sent(first, 28_376);
            peer.got.sent(last, 3_320);
            peer.send(new SentFrames()
                    .data(first, false, new byte[16_000])
                    .data(first, false, new byte[12_376])
                    .data(last, true, new byte[3_320]));
            assertEquals("65000", peer.whole(last).text());
            assertEquals("65000", peer.body(first, new byte[6_624]).whole(first).text());
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
}
