package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.server.Http;
import io.millrace.net.Guard;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Requests that no handler hears of: those that are malformed are reset (RFC 9113 section 8.1.1), others are
/// answered, and the connection goes on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ErrorsTest {
    private static final HttpHandler HELLO = request -> Response.ok("hello " + request.path());

    private final List<String> told = new CopyOnWriteArrayList<>();

    private Serving serve(Serving.Kind kind, HttpLimits limits) {
        var settings = HttpSettings.standard().limits(limits).listener(served -> told.add("" + served.status()));
        return kind.serve(settings, Http.whole(1 << 20, HELLO));
    }

    /// What comes of a request with these fields, on a connection that goes on.
    private int statusOf(Http2Peer peer, String... fields) throws IOException {
        int id = peer.nextId();
        peer.send(new SentFrames().headers(id, true, fields));
        var reply = peer.whole(id);
        assertTrue(reply.bodyBytes() > 0, reply::toString);
        return reply.status;
    }

    private static void assertMalformed(Http2Peer peer, String... fields) throws IOException {
        int id = peer.nextId();
        peer.send(new SentFrames().headers(id, true, fields));
        assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(id), () -> String.join(" ", fields));
        assertEquals(0, peer.got.stream(id).status);
        int next = peer.get("/next");
        assertEquals("hello /next", peer.whole(next).text());
    }

    @ParameterizedTest
    @EnumSource
    void limits_of_a_head_are_answered(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard().fields(5));
                var peer = Http2Peer.of(serving)) {
            assertEquals(414, statusOf(peer, SentFrames.request("GET", "/" + "x".repeat(9_000))));
            assertEquals(431, statusOf(peer, SentFrames.request("GET", "/", "x", "y".repeat(16_400))));
            assertEquals(431, statusOf(peer, SentFrames.request("GET", "/", many("x", 6))));
            assertEquals(417, statusOfExpect(peer));
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
            assertEquals(List.of("414", "431", "431", "417", "200"), told);
        }
    }

    /// The table follows: a field of the head that is too long is known to the next one.
    @ParameterizedTest
    @EnumSource
    void a_head_of_several_frames_that_is_too_long_is_answered(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            int fine = peer.post("/fine");
            int id = peer.nextId();
            var large = SentFrames.fields(SentFrames.request("GET", "/", "x", "y".repeat(50_000)));
            peer.send(new SentFrames().block(id, true, HpackPeer.joined(large, SentFrames.entering("a", "b"))));
            assertEquals(431, peer.whole(id).status);
            int next = peer.nextId();
            var get = SentFrames.fields(SentFrames.request("GET", "/next"));
            peer.send(new SentFrames().block(next, true, HpackPeer.joined(get, SentFrames.newest(1))));
            assertEquals("hello /next", peer.whole(next).text());
            assertEquals(
                    "hello /fine", peer.body(fine, new byte[10]).whole(fine).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_call_of_grpc_that_is_refused_for_its_head_gets_a_status_of_grpc(Serving.Kind kind) throws IOException {
        var large = "y".repeat(20_000);
        var settings = HttpSettings.standard().errors(ErrorResponses.grpc(ErrorResponses.PHRASES));
        try (var serving = kind.serve(settings, Http.whole(1 << 20, HELLO));
                var peer = Http2Peer.of(serving)) {
            var call = peer.head(peer.post("/", "content-type", "application/grpc+proto", "x", large));
            assertEquals("200 8", call.status + " " + call.header("grpc-status"));
            assertTrue(call.hasEnded, call::toString);
            // Whether this is a call was not read any more.
            assertEquals(431, peer.head(peer.post("/", "x", large, "content-type", "application/grpc")).status);
            assertEquals(431, peer.head(peer.post("/", "content-type", "text/plain", "x", large)).status);
        }
    }

    private static int statusOfExpect(Http2Peer peer) throws IOException {
        int id = peer.post("/", "expect", "the unexpected");
        return peer.head(id).status;
    }

    private static String[] many(String name, int count) {
        var fields = new String[2 * count];
        for (int i = 0; i < count; i++) {
            fields[2 * i] = name;
            fields[2 * i + 1] = "" + i;
        }
        return fields;
    }

    @ParameterizedTest
    @EnumSource
    void a_body_that_is_too_long_is_refused(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            assertEquals(413, peer.head(peer.post("/", "content-length", "2000000")).status);
            int id = peer.post("/");
            peer.part(id, new byte[1_100_000], false);
            assertEquals(413, peer.head(id).status);
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void targets_and_hosts_that_are_wrong_are_answered(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "/%zz")));
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "relative")));
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "*")));
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "http://a/")));
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "/", "host", "b")));
            assertEquals(400, statusOf(peer, ":method", "GET", ":scheme", "http", ":path", "/"));
            assertEquals(400, statusOf(peer, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a b"));
            assertEquals(400, statusOf(peer, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "u@a"));
            assertEquals(200, statusOf(peer, SentFrames.request("GET", "/", "host", "A:80")));
            assertEquals(200, statusOf(peer, ":method", "GET", ":scheme", "http", ":path", "/", "host", "a"));
            assertEquals(200, statusOf(peer, SentFrames.request("OPTIONS", "*")));
            // What was right for the request before is not for this one.
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "*")));
            assertEquals(200, statusOf(peer, SentFrames.request("GET", "/")));
            assertEquals(400, statusOf(peer, SentFrames.request("GET", "/", "host", "b")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void pseudo_fields_that_are_wrong_are_malformed(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            assertMalformed(peer, ":method", "GET", ":scheme", "http", ":authority", "a");
            assertMalformed(peer, ":method", "GET", ":path", "/", ":authority", "a");
            assertMalformed(peer, ":scheme", "http", ":path", "/", ":authority", "a");
            assertMalformed(peer, SentFrames.request("GET", ""));
            assertMalformed(peer, SentFrames.request("GET", "/", ":path", "/b"));
            assertMalformed(peer, SentFrames.request("GET", "/", "x", "y", ":x", "y"));
            assertMalformed(peer, SentFrames.request("GET", "/", ":status", "200"));
            assertMalformed(peer, SentFrames.request("GET", "/", ":unknown", "1"));
            assertMalformed(peer, "x", "y", ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a");
        }
    }

    @ParameterizedTest
    @EnumSource
    void fields_that_are_wrong_are_malformed(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            for (var field : List.of(
                    "X-Large:y",
                    "x y:z",
                    "x\0:y",
                    "x\r\n:y",
                    "é:y",
                    ":y",
                    "x:a\r\nb",
                    "x:a\nb",
                    "x:a\0b",
                    "x: y",
                    "x:y ",
                    "connection:close",
                    "keep-alive:1",
                    "proxy-connection:a",
                    "transfer-encoding:chunked",
                    "upgrade:h2c",
                    "te:gzip")) {
                int colon = field.indexOf(':');
                var name = field.substring(0, colon);
                assertMalformed(peer, SentFrames.request("GET", "/", name, field.substring(colon + 1)));
            }
            int id = peer.get("/fine", "te", "trailers");
            assertEquals("hello /fine", peer.whole(id).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_length_that_does_not_fit_its_body_is_malformed(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            for (var length : List.of("5", "x", "-1", "+1", "1,1", "9".repeat(30), ""))
                assertMalformed(peer, SentFrames.request("GET", "/", "content-length", length));
            assertMalformed(peer, SentFrames.request("GET", "/", "content-length", "0", "content-length", "0"));
            int less = peer.post("/", "content-length", "5");
            peer.send(new SentFrames().data(less, true, "abc"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(less));
            int more = peer.post("/", "content-length", "5");
            peer.send(new SentFrames().data(more, false, "abcdef"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(more));
            int none = peer.post("/", "content-length", "5");
            peer.send(new SentFrames().headers(none, true, "x", "y"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(none));
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailers_that_are_wrong_are_malformed(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            for (var fields : List.of(List.of(":path", "/"), List.of("X", "y"), List.of("connection", "close"))) {
                int id = peer.post("/");
                peer.send(new SentFrames().data(id, false, "body").headers(id, true, fields.toArray(String[]::new)));
                assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(id));
            }
            int unended = peer.post("/");
            peer.send(new SentFrames().headers(unended, false, "x", "y"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(unended));
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailers_that_are_too_large_are_reset(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard().fields(5));
                var peer = Http2Peer.of(serving)) {
            assertTooLarge(peer, HttpGuards.HEAD, "x", "y".repeat(17_000));
            assertTooLarge(peer, HttpGuards.FIELDS, many("x", 6));
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
        }
    }

    private static void assertTooLarge(Http2Peer peer, Guard guard, String... trailers) throws IOException {
        long before = guard.count();
        int id = peer.post("/");
        peer.send(new SentFrames().data(id, false, "body").headers(id, true, trailers));
        assertEquals(Http2Codes.ENHANCE_YOUR_CALM, peer.resetCode(id));
        assertTrue(guard.count() > before, guard::toString);
    }

    // Errors that end the connection.

    private void assertEnds(Serving.Kind kind, int code, SentFrames frames) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            peer.send(frames);
            assertEquals(code, peer.goodbye(), peer.got::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void frames_that_are_wrong_end_the_connection(Serving.Kind kind) throws IOException {
        var get = SentFrames.fields(SentFrames.request("GET", "/"));
        for (var frames : List.of(
                new SentFrames().frame(Http2Codes.DATA, 0, 0),
                new SentFrames().frame(Http2Codes.HEADERS, 5, 0, get),
                new SentFrames().frame(Http2Codes.HEADERS, 5, 2, get),
                new SentFrames().frame(Http2Codes.HEADERS, 0xd, 1, (byte) 9, (byte) 1),
                new SentFrames().frame(Http2Codes.DATA, 0, 1),
                new SentFrames().frame(Http2Codes.PUSH_PROMISE, 4, 1, new byte[4]),
                new SentFrames().frame(Http2Codes.CONTINUATION, 4, 1, get),
                new SentFrames().frame(Http2Codes.HEADERS, 1, 1, get).ping("12345678"),
                new SentFrames().frame(Http2Codes.HEADERS, 1, 1, get).frame(Http2Codes.CONTINUATION, 4, 3),
                new SentFrames().reset(1, 0),
                new SentFrames().reset(0, 0),
                new SentFrames().window(1, 1),
                new SentFrames().window(0, 0),
                new SentFrames().priority(0, 1),
                new SentFrames().frame(Http2Codes.PING, 0, 1, new byte[8]),
                new SentFrames().settings(Http2Codes.ENABLE_PUSH, 2),
                new SentFrames().settings(Http2Codes.NO_OLD_PRIORITIES, 2),
                new SentFrames().settings(Http2Codes.FRAME_SIZE, 100),
                new SentFrames().frame(Http2Codes.GOAWAY, 0, 1, new byte[8]),
                new SentFrames().priorityUpdate(0, "u=1"),
                new SentFrames().priorityUpdate(2, "u=1"))) {
            assertEnds(kind, Http2Codes.PROTOCOL_ERROR, frames);
        }
    }

    /// RFC 9113 section 3.4.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void a_client_that_does_not_begin_with_its_settings_is_none_of_HTTP2(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.silent(serving)) {
            peer.send(Http2Codes.PREFACE.getBytes(ISO_8859_1)).send(new SentFrames().get(1, "/"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.goodbye());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void one_that_has_only_taken_ours_has_not_sent_its_settings(Serving.Kind kind) throws IOException {
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.silent(serving)) {
            peer.send(Http2Codes.PREFACE.getBytes(ISO_8859_1))
                    .send(new SentFrames().settingsTaken().get(1, "/"));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.goodbye());
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void frames_of_a_wrong_length_end_the_connection(Serving.Kind kind) throws IOException {
        for (var frames : List.of(
                new SentFrames().frame(Http2Codes.PING, 0, 0, new byte[7]),
                new SentFrames().frame(Http2Codes.SETTINGS, 0, 0, new byte[5]),
                new SentFrames().frame(Http2Codes.SETTINGS, Http2Codes.ACK, 0, new byte[6]),
                new SentFrames().frame(Http2Codes.WINDOW_UPDATE, 0, 0, new byte[3]),
                new SentFrames().frame(Http2Codes.RST_STREAM, 0, 1, new byte[5]),
                new SentFrames().frame(Http2Codes.GOAWAY, 0, 0, new byte[7]),
                new SentFrames().frame(Http2Codes.PRIORITY_UPDATE, 0, 0, new byte[3]),
                new SentFrames().frame(Http2Codes.DATA, 0, 1, 16_385, new byte[0]),
                new SentFrames().frame(77, 0, 0, 0xffffff, new byte[0]))) {
            assertEnds(kind, Http2Codes.FRAME_SIZE_ERROR, frames);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_that_cannot_be_decoded_end_the_connection(Serving.Kind kind) throws IOException {
        assertEnds(kind, Http2Codes.COMPRESSION_ERROR, new SentFrames().block(1, true, new byte[] {(byte) 0xff, 0x7f}));
        assertEnds(kind, Http2Codes.COMPRESSION_ERROR, new SentFrames().block(1, true, new byte[] {(byte) 0x80}));
        assertEnds(kind, Http2Codes.COMPRESSION_ERROR, new SentFrames().block(1, true, new byte[] {0, 5, 'a'}));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void what_follows_the_end_of_a_stream_is_an_error(Serving.Kind kind) throws IOException {
        assertEnds(kind, Http2Codes.STREAM_CLOSED, new SentFrames().get(3, "/").get(1, "/"));
        try (var serving = serve(kind, HttpLimits.standard());
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/");
            peer.whole(id);
            peer.send(new SentFrames().data(id, false, "late"));
            peer.until(() -> peer.got.stream(id).resetCode == Http2Codes.STREAM_CLOSED);
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
        }
    }

    /// It cannot be reset.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void an_error_in_a_stream_that_is_idle_ends_the_connection(Serving.Kind kind) throws IOException {
        assertEnds(kind, Http2Codes.FRAME_SIZE_ERROR, new SentFrames().frame(Http2Codes.PRIORITY, 0, 1, new byte[7]));
        assertEnds(kind, Http2Codes.PROTOCOL_ERROR, new SentFrames().priority(1, 1));
    }

    /// As clients of gRPC do with each call that its server ends first.
    @Test
    void resets_behind_complete_responses_are_no_attack() {
        try (var network = new Simulation(1);
                var _ = SimulatedApp.serve(network)) {
            var peer = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT).settle();
            for (int i = 0; i < 1000; i++) {
                int id = peer.post("/now?n=5");
                peer.settle();
                assertTrue(peer.stream(id).hasEnded, peer.got::toString);
                peer.send(new SentFrames().reset(id, Http2Codes.NO_ERROR)).settle();
            }
            assertTrue(peer.peer.isOpen(), peer.got::toString);
        }
    }

    @Test
    void what_follows_a_request_that_was_refused_is_not_refused_again() {
        try (var network = new Simulation(1);
                var _ = SimulatedApp.serve(network)) {
            var peer = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT).settle();
            for (int i = 0; i < ServerConnection.MOST_STREAMS; i++) peer.get("/never");
            int id = peer.post("/whole");
            peer.send(new SentFrames().data(id, false, "some").data(id, true, "more"))
                    .settle();
            assertEquals(Http2Codes.REFUSED_STREAM, peer.stream(id).resetCode);
        }
    }

    /// However long ago it was reset, and whatever was reset since.
    @ParameterizedTest
    @EnumSource
    void what_was_on_its_way_to_a_stream_that_was_reset_is_dropped(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HELLO);
                var peer = Http2Peer.of(serving)) {
            int first = resetBehindItsResponse(peer);
            for (int i = 0; i < 99; i++) resetBehindItsResponse(peer);
            peer.send(new SentFrames().data(first, false, "late").headers(first, true, "x-trailer", "y"));
            assertEquals("hello /fine", peer.whole(peer.get("/fine")).text());
            assertEquals(Http2Codes.NO_ERROR, peer.got.stream(first).resetCode);
            peer.send(new SentFrames().get(first, "/again"));
            assertEquals(Http2Codes.STREAM_CLOSED, peer.goodbye());
        }
    }

    private static int resetBehindItsResponse(Http2Peer peer) throws IOException {
        int id = peer.post("/", "content-length", "1000000");
        peer.until(() -> peer.got.stream(id).resetCode == Http2Codes.NO_ERROR);
        return id;
    }
}
