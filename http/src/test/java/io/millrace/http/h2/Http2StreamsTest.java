package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.PushBody;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Streams that end early, how many there may be, and which comes first.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2StreamsTest {
    private static final HttpHandler HELLO = request -> Response.ok("hello");

    /// Until it is reset, which it says.
    private static final class Endless implements BodyWriter {
        private final byte[] part = new byte[4096];
        private final CountDownLatch closed;

        Endless(CountDownLatch closed) {
            this.closed = closed;
        }

        @Override
        public boolean write(Output out) {
            out.write(part, 0, part.length);
            return true;
        }

        @Override
        public void onClose() {
            closed.countDown();
        }
    }

    // Early responses.

    @ParameterizedTest
    @EnumSource
    void the_rest_of_a_short_body_is_dropped_behind_an_early_response(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            assertEquals("hello", peer.whole(id).text());
            assertEquals(GotStream.NO_RESET, peer.got.stream(id).resetCode);
            peer.part(id, new byte[30_000], true);
            assertEquals("hello", peer.whole(peer.get("/")).text());
            assertEquals(GotStream.NO_RESET, peer.got.stream(id).resetCode);
        }
    }

    /// RFC 9113 section 8.1.
    @ParameterizedTest
    @EnumSource
    void a_stream_is_reset_without_an_error_behind_an_early_response_to_a_long_body(Serving.Kind kind)
            throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/", "content-length", "1000000");
            peer.until(() -> peer.got.stream(id).resetCode != GotStream.NO_RESET);
            var reply = peer.got.stream(id);
            assertTrue(reply.hasEnded, reply::toString);
            assertEquals("hello", reply.text());
            assertEquals(Http2Codes.NO_ERROR, reply.resetCode);
            // What it had sent before it knew is dropped.
            peer.send(new SentFrames().data(id, false, new byte[10_000]));
            assertEquals("hello", peer.whole(peer.get("/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_body_without_end_is_reset_behind_its_window(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            assertEquals("hello", peer.whole(id).text());
            peer.send(new SentFrames().data(id, false, new byte[16_000]).data(id, false, new byte[16_000]));
            peer.send(new SentFrames().data(id, false, new byte[16_000]).data(id, false, new byte[16_000]));
            peer.send(new SentFrames().data(id, false, new byte[1_535]));
            peer.until(() -> peer.got.stream(id).resetCode != GotStream.NO_RESET);
            assertEquals(Http2Codes.NO_ERROR, peer.got.stream(id).resetCode);
        }
    }

    // The peer resets.

    @ParameterizedTest
    @EnumSource
    void a_reset_ends_a_streamed_response(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(1);
        HttpHandler app = request ->
                request.path().equals("/") ? Response.ok("hello") : Response.stream(200, new Endless(closed));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/endless");
            peer.until(() -> peer.got.stream(id).bodyBytes() > 200_000);
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            closed.await();
            assertEquals("hello", peer.whole(peer.get("/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_ends_a_response_that_waits_for_its_window(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(1);
        try (var serving = kind.serve(request -> Response.stream(200, new Endless(closed)));
                var peer = Http2Peer.of(serving).givesNoWindow()) {
            int id = peer.get("/endless");
            peer.until(() -> peer.got.stream(id).bodyBytes() == Http2Codes.USUAL_WINDOW);
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            closed.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_is_told_to_a_reader(Serving.Kind kind) throws Exception {
        var begun = new CountDownLatch(1);
        var aborted = new CountDownLatch(1);
        try (var serving = kind.serve(request -> Response.reading(new BodyReader() {
                    @Override
                    public void onBody(Input part) {
                        part.skip(part.remaining());
                        begun.countDown();
                    }

                    @Override
                    public Response onEnd() {
                        throw new AssertionError("there is no end");
                    }

                    @Override
                    public void onAbort() {
                        aborted.countDown();
                    }
                }));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.part(id, new byte[100], false);
            begun.await();
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            aborted.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_is_told_to_events_and_pushed_bodies(Serving.Kind kind) throws Exception {
        var events = new CompletableFuture<EventStream>();
        var pushed = new CompletableFuture<PushBody>();
        HttpHandler app = request -> request.path().equals("/events")
                ? Response.events(events::complete)
                : Response.push(200, pushed::complete);
        var closed = new CountDownLatch(2);
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int first = peer.get("/events");
            int second = peer.get("/pushed");
            events.join().onClose(closed::countDown);
            pushed.join().onClose(closed::countDown);
            assertTrue(pushed.join().send(Bytes.utf8("part")));
            peer.until(() -> peer.got.stream(second).text().equals("part"));
            peer.send(new SentFrames().reset(first, Http2Codes.CANCEL).reset(second, Http2Codes.CANCEL));
            closed.await();
            assertFalse(events.join().send("late"));
            assertFalse(pushed.join().send(Bytes.utf8("late")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_listener_hears_that_a_deferred_response_was_not_waited_for(Serving.Kind kind) throws Exception {
        var failure = new CompletableFuture<String>();
        var asked = new CountDownLatch(1);
        var late = new CompletableFuture<Response>();
        var settings = HttpSettings.standard().listener(served -> failure.complete(served.failure()));
        try (var serving = kind.serve(settings, request -> {
                    asked.countDown();
                    return Response.later(late);
                });
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            asked.await();
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            assertTrue(failure.join().contains("CANCEL"), failure::join);
            late.complete(Response.ok("late"));
            peer.sync();
            assertEquals(0, peer.got.stream(id).status);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_that_ends_ends_streams_that_wait_for_room(Serving.Kind kind) throws Exception {
        var closed = new CountDownLatch(3);
        try (var serving = kind.serve(request -> Response.stream(200, new Endless(closed)))) {
            try (var peer = Http2Peer.of(serving).givesNoWindow()) {
                for (int i = 0; i < 3; i++) peer.get("/");
                peer.until(() -> peer.got.stream(5).status == 200);
            }
            closed.await();
        }
    }

    // How many.

    @ParameterizedTest
    @EnumSource
    void a_stream_above_the_limit_is_refused_and_others_go_on(Serving.Kind kind) throws Exception {
        long before = HttpGuards.HTTP2_STREAMS.count();
        var late = new CompletableFuture<Response>();
        try (var serving = kind.serve(request -> Response.later(late));
                var peer = Http2Peer.of(serving)) {
            var all = new SentFrames();
            for (int i = 0; i < 101; i++) all.get(2 * i + 1, "/");
            peer.send(all);
            assertEquals(Http2Codes.REFUSED_STREAM, peer.resetCode(201));
            assertEquals(before + 1, HttpGuards.HTTP2_STREAMS.count());
            late.complete(Response.ok("late"));
            for (int i = 0; i < 100; i++)
                assertEquals("late", peer.whole(2 * i + 1).text());
            peer.send(new SentFrames().get(203, "/"));
            assertEquals("late", peer.whole(203).text());
        }
    }

    /// Which is what makes rapid resets harmless.
    @ParameterizedTest
    @EnumSource(names = ".*_(VIRTUAL|POOL)", mode = EnumSource.Mode.MATCH_ALL)
    void a_slot_is_not_free_before_its_handler_has_ended(Serving.Kind kind) throws Exception {
        var goOn = new CountDownLatch(1);
        var ended = new CountDownLatch(100);
        HttpHandler app = request -> {
            if (request.path().equals("/")) return Response.ok("hello");
            goOn.await();
            ended.countDown();
            return Response.ok("late");
        };
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            var all = new SentFrames();
            for (int i = 0; i < 100; i++) all.get(2 * i + 1, "/slow").reset(2 * i + 1, Http2Codes.CANCEL);
            peer.send(all.get(201, "/"));
            assertEquals(Http2Codes.REFUSED_STREAM, peer.resetCode(201));
            goOn.countDown();
            ended.await();
            int id = 203;
            do {
                peer.send(new SentFrames().get(id, "/"));
                id += 2;
            } while (peer.reply(id - 2).resetCode == Http2Codes.REFUSED_STREAM);
            assertEquals("hello", peer.whole(id - 2).text());
        }
    }

    /// The response was written, and waits for its window.
    @ParameterizedTest
    @EnumSource
    void a_slot_is_free_when_a_response_that_waits_is_reset(Serving.Kind kind) throws Exception {
        HttpHandler app = request -> request.path().equals("/") ? Response.status(204) : Response.ok("x".repeat(5_000));
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving, 0).givesNoWindow()) {
            for (int i = 0; i < 150; i++) {
                int id = peer.get("/waiting");
                assertEquals(200, peer.head(id).status);
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            }
            assertEquals(204, peer.whole(peer.get("/")).status);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_slot_is_free_when_the_rest_of_a_body_is_cut_off(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 120; i++) {
                int id = peer.post("/");
                assertEquals("hello", peer.whole(id).text());
                peer.part(id, new byte[Http2Codes.USUAL_WINDOW], false);
                peer.until(() -> peer.got.stream(id).resetCode == Http2Codes.NO_ERROR);
            }
            assertEquals("hello", peer.whole(peer.get("/")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void answered_requests_whose_bodies_are_to_come_leave_room_for_heads(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < 60; i++)
                assertEquals(
                        "hello",
                        peer.whole(peer.post("/", "x", "y".repeat(12_000))).text());
        }
    }

    // Priorities.

    private static final int LONG = 200_000;

    /// Both wait for the window of the connection.
    private static String order(Serving.Kind kind, String first, String second, String update) throws IOException {
        return order(kind, new SentFrames(), first, second, update);
    }

    private static String order(Serving.Kind kind, SentFrames ahead, String first, String second, String update)
            throws IOException {
        try (var serving = kind.serve(request -> Response.ok(Bytes.of(new byte[LONG]), "text/plain"));
                var peer = Http2Peer.of(serving, 1 << 20).givesNoWindow()) {
            peer.send(ahead);
            var one = peer.get("/", "priority", first);
            peer.until(() -> peer.got.stream(one).bodyBytes() == Http2Codes.USUAL_WINDOW);
            int two = peer.get("/", "priority", second);
            peer.head(two);
            if (!update.isEmpty()) peer.send(new SentFrames().priorityUpdate(two, update));
            peer.sync();
            peer.got.log.clear();
            peer.got.more(0, 2 * LONG);
            peer.flush();
            peer.whole(one);
            peer.whole(two);
            return String.join(" ", peer.got.log)
                    .replace("0 1", "a")
                    .replace("0 3", "b")
                    .replaceAll("[^ab]", "")
                    .replaceAll("(.)\\1+", "$1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_more_urgent_one_is_sent_first(Serving.Kind kind) throws IOException {
        assertEquals("ba", order(kind, "u=7", "u=0", ""));
        assertEquals("ab", order(kind, "u=0", "u=7", ""));
    }

    @ParameterizedTest
    @EnumSource
    void an_update_makes_one_more_urgent(Serving.Kind kind) throws IOException {
        assertEquals("ba", order(kind, "u=3", "u=4", "u=1"));
    }

    @ParameterizedTest
    @EnumSource
    void those_of_the_same_urgency_take_turns_if_parts_are_of_use(Serving.Kind kind) throws IOException {
        assertTrue(order(kind, "u=2, i", "u=2, i", "").length() > 10);
        assertEquals("ab", order(kind, "u=2", "u=2", ""));
    }

    /// RFC 9218 section 7.1.
    @ParameterizedTest
    @EnumSource
    void an_update_ahead_of_its_stream_counts_more_than_its_head(Serving.Kind kind) throws IOException {
        var ahead = new SentFrames().priorityUpdate(3, "u=7").priorityUpdate(3, "u=1");
        assertEquals("ba", order(kind, ahead, "u=3", "u=4", ""));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void updates_may_come_ahead_of_a_hundred_streams(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            peer.send(updates(1, 100).get(199, "/").raw(updates(201, 100).toBytes()));
            assertEquals("hello", peer.whole(199).text());
            peer.send(new SentFrames().get(399, "/"));
            assertEquals("hello", peer.whole(399).text());
            peer.send(updates(401, 101));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.goodbye());
        }
    }

    private static SentFrames updates(int firstId, int count) {
        var frames = new SentFrames();
        for (int i = 0; i < count; i++) frames.priorityUpdate(firstId + 2 * i, "u=1");
        return frames;
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void an_update_may_come_early_late_or_malformed(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            peer.send(new SentFrames()
                    .priorityUpdate(1, "u=0")
                    .get(1, "/")
                    .priorityUpdate(1, "u=9, i=maybe")
                    .priorityUpdate(7, ";;;\u00e4")
                    .get(3, "/"));
            assertEquals("hello", peer.whole(1).text());
            assertEquals("hello", peer.whole(3).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_part_that_is_left_unread_is_offered_again(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> Response.reading(new ByTens()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            for (int i = 0; i < 20; i++) peer.part(id, new byte[7], false);
            peer.body(id, new byte[0]);
            assertEquals("14", peer.whole(id).text());
        }
    }

    /// Takes ten bytes at a time.
    private static final class ByTens implements BodyReader {
        private int tens;

        @Override
        public void onBody(Input part) {
            while (part.remaining() >= 10) {
                part.skip(10);
                tens++;
            }
        }

        @Override
        public Response onEnd() {
            return Response.ok("" + tens);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_response_and_a_body_may_overtake_each_other(Serving.Kind kind) throws IOException {
        var sent = Http2ServerTest.random(300_000);
        HttpHandler app = request -> Response.duplex(200, (part, out) -> {
            part.skip(part.remaining());
            out.write(new byte[10_000], 0, 10_000);
        });
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/");
            peer.body(id, sent);
            assertTrue(peer.whole(id).bodyBytes() % 10_000 == 0);
            assertTrue(
                    Arrays.equals(new byte[10_000], Arrays.copyOf(peer.whole(id).body(), 10_000)));
        }
    }
}
