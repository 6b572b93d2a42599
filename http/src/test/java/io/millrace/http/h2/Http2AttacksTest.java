package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.net.Guard;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Attacks on servers of HTTP/2 that have been published: each ends its connection within so many frames, is counted,
/// and leaves others alone.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2AttacksTest {
    /// Resets that a connection may cause without progress, and some that time allows.
    private static final int RESETS = 2 * WorkBudget.MOST / WorkBudget.RESET;

    /// Frames that bring nothing, in the same way.
    private static final int FRAMES = 3 * WorkBudget.MOST;

    private static final CompletableFuture<Response> NEVER = new CompletableFuture<>();

    private final AtomicInteger handled = new AtomicInteger();

    private Response app(io.millrace.http.Request request) {
        handled.incrementAndGet();
        return switch (request.path()) {
            case "/never" -> Response.later(NEVER);
            case "/reading" -> Response.reading(new Skipping());
            default -> Response.ok("hello");
        };
    }

    private static final class Skipping implements BodyReader {
        @Override
        public void onBody(Input part) {
            part.skip(part.remaining());
        }

        @Override
        public Response onEnd() {
            return Response.ok("read");
        }
    }

    /// An attacker is dismissed, and an honest peer is answered before, meanwhile and afterwards.
    private void assertDismissed(Serving.Kind kind, Guard guard, int code, SentFrames attack) throws IOException {
        long before = guard.count();
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var honest = Http2Peer.of(serving);
                var attacker = Http2Peer.of(serving)) {
            assertAnswered(honest);
            var sending = attacker.sendMeanwhile(attack);
            assertAnswered(honest);
            assertEquals(code, attacker.goodbye(), attacker.got::toString);
            sending.join();
            assertAnswered(honest);
        }
        assertTrue(guard.count() > before, guard::toString);
    }

    private void assertDismissed(Serving.Kind kind, SentFrames attack) throws IOException {
        assertDismissed(kind, HttpGuards.HTTP2_WORK, Http2Codes.ENHANCE_YOUR_CALM, attack);
    }

    private static void assertAnswered(Http2Peer honest) throws IOException {
        assertEquals("hello", honest.whole(honest.get("/")).text());
    }

    private interface Step {
        void add(SentFrames to, int id);
    }

    private static SentFrames repeated(int count, Step step) {
        var all = new SentFrames();
        for (int i = 0; i < count; i++) step.add(all, 2 * i + 1);
        return all;
    }

    // Resets.

    /// CVE-2023-44487.
    @ParameterizedTest
    @EnumSource
    void rapid_resets(Serving.Kind kind) throws IOException {
        assertDismissed(kind, repeated(RESETS, (to, id) -> to.get(id, "/never").reset(id, Http2Codes.CANCEL)));
        assertTrue(handled.get() <= RESETS + 3, () -> handled + " handled");
    }

    /// CVE-2025-8671: the attacker has the server reset streams whose handlers go on.
    private static List<Step> resetsProvoked() {
        return List.of(
                (to, id) -> to.get(id, "/never").window(id, 0),
                (to, id) -> to.get(id, "/never").window(id, Integer.MAX_VALUE),
                (to, id) -> to.get(id, "/never").frame(Http2Codes.PRIORITY, 0, id, new byte[4]),
                (to, id) -> to.get(id, "/never").priority(id, id),
                (to, id) -> to.get(id, "/never").headers(id, true, "x", "y"),
                (to, id) -> to.get(id, "/never").data(id, true, "x"));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void resets_that_the_server_is_made_to_send(Serving.Kind kind) throws IOException {
        for (var step : resetsProvoked()) assertDismissed(kind, repeated(RESETS, step));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void requests_that_are_malformed_again_and_again(Serving.Kind kind) throws IOException {
        assertDismissed(kind, repeated(RESETS, (to, id) -> to.headers(id, true, "x", "y")));
        assertDismissed(
                kind,
                repeated(
                        RESETS,
                        (to, id) -> to.headers(id, false, SentFrames.request("POST", "/reading", "content-length", "1"))
                                .data(id, true, "xy")));
    }

    /// What is sent for a stream that was reset is dropped, but not for nothing.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void frames_for_a_stream_that_was_reset(Serving.Kind kind) throws IOException {
        Step reset = (to, id) -> to.get(id, "/never").window(id, 0);
        var headers = repeated(1, reset);
        for (int i = 0; i < FRAMES; i++) headers.headers(1, true, "x", "y");
        assertDismissed(kind, headers);
        var data = repeated(1, reset);
        for (int i = 0; i < FRAMES; i++) data.data(1, false, "x");
        assertDismissed(kind, data);
    }

    /// Netty's CVE-2026-47244.
    @ParameterizedTest
    @EnumSource
    void streams_above_the_limit(Serving.Kind kind) throws IOException {
        assertDismissed(kind, repeated(100 + RESETS, (to, id) -> to.get(id, "/never")));
        assertTrue(handled.get() <= 100 + 3, () -> handled + " handled");
    }

    /// Netty's CVE-2026-50560: it is advice, and no response fails for it.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void a_header_list_of_one_byte(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            peer.send(new SentFrames().settings(Http2Codes.HEADER_LIST_SIZE, 1));
            for (int i = 0; i < 10; i++) assertAnswered(peer);
            peer.send(new SentFrames().settings(Http2Codes.HEADER_LIST_SIZE, -1));
            assertAnswered(peer);
        }
    }

    // Fields.

    private static SentFrames continued(int count, byte... part) {
        var all = new SentFrames().frame(Http2Codes.HEADERS, Http2Codes.END_STREAM, 1, SentFrames.fields("x", "y"));
        for (int i = 0; i < count; i++) all.frame(Http2Codes.CONTINUATION, 0, 1, part);
        return all;
    }

    /// CVE-2024-27316, and Netty's CVE-2026-33871.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_without_end(Serving.Kind kind) throws IOException {
        int calm = Http2Codes.ENHANCE_YOUR_CALM;
        assertDismissed(kind, HttpGuards.HEAD, calm, continued(40));
        assertDismissed(kind, HttpGuards.HEAD, calm, continued(40, SentFrames.fields("x", "y")));
        assertDismissed(kind, HttpGuards.HEAD, calm, continued(3, new byte[Http2Codes.MOST_BYTES]));
    }

    /// CVE-2016-6581: a byte stands for a field of 4 KiB.
    @ParameterizedTest
    @EnumSource
    void a_field_of_the_table_many_times(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            peer.send(new SentFrames().block(1, true, joined(get(), SentFrames.entering("x", "y".repeat(4000)))));
            assertEquals("hello", peer.whole(1).text());
            for (int i = 0; i < 50; i++) {
                int id = 2 * i + 3;
                peer.send(new SentFrames().block(id, true, joined(get(), indexed(16_000))));
                assertEquals(431, peer.whole(id).status);
            }
            assertEquals(1, handled.get());
        }
    }

    private static byte[] get() {
        return SentFrames.fields(SentFrames.request("GET", "/"));
    }

    private static byte[] joined(byte[]... parts) {
        var all = new byte[0];
        for (var part : parts) all = HpackPeer.joined(all, part);
        return all;
    }

    /// The newest field of the table, so many times.
    private static byte[] indexed(int count) {
        var block = new byte[count];
        Arrays.fill(block, (byte) (0x80 | HpackStatic.COUNT + 1));
        return block;
    }

    // Floods.

    /// CVE-2019-9512, 9515, 9513 and 9518; frames that are not known, and those of RFC 9218.
    private static List<SentFrames> floods() {
        return List.of(
                repeated(FRAMES, (to, _) -> to.ping("12345678")),
                repeated(FRAMES, (to, _) -> to.settings()),
                repeated(FRAMES, (to, _) -> to.settings(Http2Codes.WINDOW, 1000)),
                repeated(FRAMES, (to, _) -> to.settingsTaken()),
                repeated(FRAMES, (to, _) -> to.priority(1, 3)),
                repeated(FRAMES, (to, _) -> to.priorityUpdate(1, "u=1")),
                repeated(FRAMES, (to, _) -> to.window(0, 1)),
                repeated(FRAMES, (to, _) -> to.goAway(0, 0)),
                repeated(FRAMES, (to, _) -> to.frame(0x0b, 0, 0)),
                repeated(FRAMES, (to, _) -> to.frame(0xff, 0xff, 1, (byte) 1)),
                new SentFrames()
                        .post(1, "/reading")
                        .raw(repeated(FRAMES, (to, _) -> to.data(1, false)).toBytes()));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void frames_that_bring_nothing(Serving.Kind kind) throws IOException {
        for (var flood : floods()) assertDismissed(kind, flood);
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void data_that_is_all_padding(Serving.Kind kind) throws IOException {
        var padding = new byte[256];
        padding[0] = (byte) 255;
        var flood = repeated(FRAMES, (to, _) -> to.frame(Http2Codes.DATA, Http2Codes.PADDED, 1, padding));
        assertDismissed(kind, new SentFrames().post(1, "/reading").raw(flood.toBytes()));
    }

    /// Netty's CVE-2026-55831.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void settings_of_thousands_of_entries(Serving.Kind kind) throws IOException {
        var entries = new int[2 * 2730];
        for (int i = 0; i < entries.length; i += 2) {
            entries[i] = Http2Codes.WINDOW;
            entries[i + 1] = i;
        }
        assertDismissed(kind, repeated(20, (to, _) -> to.settings(entries)));
    }

    /// Go's CVE-2026-27141.
    @ParameterizedTest
    @EnumSource
    void types_of_frames_that_are_not_known(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (int type = 0x0a; type <= 0x0f; type++) {
                peer.send(new SentFrames()
                        .frame(type, 0, 0)
                        .frame(type, 0xff, 1, new byte[100])
                        .frame(type, 0xff, 2, new byte[Http2Codes.MOST_BYTES]));
                assertAnswered(peer);
            }
        }
    }

    // Windows.

    /// Envoy's CVE-2026-26311, Netty's CVE-2026-48043 and 56819.
    @ParameterizedTest
    @EnumSource
    void data_in_the_packet_of_a_reset(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            var part = new byte[10_000];
            for (int i = 0; i < 150; i++) {
                int id = peer.nextId();
                peer.until(() -> peer.got.window() >= 3L * part.length);
                peer.send(new SentFrames()
                        .post(id, "/reading")
                        .data(id, false, part)
                        .reset(id, Http2Codes.CANCEL)
                        .data(id, false, part)
                        .data(id, true, part));
                peer.got.sent(id, 3 * part.length);
                assertAnswered(peer);
            }
            int id = peer.post("/reading");
            assertEquals("read", peer.body(id, new byte[2_000_000]).whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void more_than_the_windows(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app)) {
            try (var peer = Http2Peer.of(serving)) {
                peer.send(new SentFrames().window(0, Integer.MAX_VALUE));
                assertEquals(Http2Codes.FLOW_CONTROL_ERROR, peer.goodbye());
            }
            try (var peer = Http2Peer.of(serving)) {
                int id = peer.post("/never");
                for (int i = 0; i < 5; i++) peer.send(new SentFrames().data(id, false, new byte[14_000]));
                assertEquals(Http2Codes.FLOW_CONTROL_ERROR, peer.resetCode(id));
                assertAnswered(peer);
            }
            try (var peer = Http2Peer.of(serving)) {
                var all = new SentFrames();
                for (int i = 0; i < 20; i++) {
                    int id = peer.nextId();
                    all.post(id, "/never");
                    for (int k = 0; k < 4; k++) all.data(id, false, new byte[16_000]);
                }
                var _ = peer.sendMeanwhile(all);
                assertEquals(Http2Codes.FLOW_CONTROL_ERROR, peer.goodbye());
            }
            try (var peer = Http2Peer.of(serving)) {
                peer.send(new SentFrames().settings(Http2Codes.WINDOW, -1));
                assertEquals(Http2Codes.FLOW_CONTROL_ERROR, peer.goodbye());
            }
        }
    }

    // What would be another request over HTTP/1.1.

    @ParameterizedTest
    @EnumSource
    void requests_within_pseudo_fields(Serving.Kind kind) throws IOException {
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (var evil : List.of("\r\nX: y", "\n", "\r", "\0", " HTTP/1.1\r\nHost: b\r\n\r\nGET /b", " ", "\t")) {
                assertNotHandled(peer, "GET" + evil, "/", "a");
                assertNotHandled(peer, "GET", "/" + evil, "a");
                assertNotHandled(peer, "GET", "/", "a" + evil);
            }
            assertNotHandled(peer, "", "/", "a");
            assertNotHandled(peer, "GET", "/", "");
            assertNotHandled(peer, "GET", "/#b", "a");
            assertNotHandled(peer, "GET", "/\u00e4", "a");
            assertNotHandled(peer, "GET", "/", "a, b");
            assertEquals(0, handled.get());
        }
    }

    private static void assertNotHandled(Http2Peer peer, String method, String path, String host) throws IOException {
        int id = peer.nextId();
        peer.send(new SentFrames()
                .headers(id, true, ":method", method, ":scheme", "http", ":path", path, ":authority", host));
        var reply = peer.reply(id);
        boolean isRefused = reply.resetCode == Http2Codes.PROTOCOL_ERROR || reply.status == 400;
        assertTrue(isRefused, () -> method + " " + path + " " + host + ": " + reply);
    }
}
