package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import java.io.IOException;
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
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void an_attack_ends_its_connection_and_no_other(Serving.Kind kind) throws IOException {
        for (var attack : Attack.values()) assertDismissed(kind, attack);
    }

    /// Handlers on threads go on meanwhile.
    @ParameterizedTest
    @EnumSource
    void requests_for_nothing_are_handled_a_few_times(Serving.Kind kind) throws IOException {
        assertDismissed(kind, Attack.RAPID_RESET);
        assertTrue(handled.get() <= Attack.resets() + 3, () -> handled + " handled");
        handled.set(0);
        assertDismissed(kind, Attack.STREAMS_ABOVE_THE_LIMIT);
        assertTrue(handled.get() <= 100 + 3, () -> handled + " handled");
    }

    private void assertDismissed(Serving.Kind kind, Attack attack) throws IOException {
        long before = attack.guard.count();
        HttpHandler app = this::app;
        try (var serving = kind.serve(app);
                var honest = Http2Peer.of(serving);
                var attacker = Http2Peer.of(serving)) {
            assertAnswered(honest);
            var sending = attacker.sendMeanwhile(attack.frames());
            assertAnswered(honest);
            assertEquals(Http2Codes.ENHANCE_YOUR_CALM, attacker.goodbye(), () -> attack + " " + attacker.got);
            sending.join();
            assertAnswered(honest);
        }
        assertTrue(attack.guard.count() > before, attack::toString);
    }

    private static void assertAnswered(Http2Peer honest) throws IOException {
        assertEquals("hello", honest.whole(honest.get("/")).text());
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
                peer.send(new SentFrames().block(id, true, joined(get(), SentFrames.newest(16_000))));
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
