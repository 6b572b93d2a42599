package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// All streams have one table (RFC 7541 section 2.2): what a block of fields enters there is known to the next one,
/// whatever becomes of its own stream.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2TableTest {
    private final CompletableFuture<Response> late = new CompletableFuture<>();

    private final HttpHandler app = request -> request.path().equals("/late")
            ? Response.later(late)
            : Response.ok(request.header("a").orElse("no such field"));

    /// Fields, and `a: b`, which enters the table.
    private static byte[] entering(String... fields) {
        return HpackPeer.joined(SentFrames.fields(fields), SentFrames.entering("a", "b"));
    }

    /// Asks with the field that entered the table last.
    private static void assertKnown(Http2Peer peer) throws IOException {
        int id = peer.nextId();
        var get = SentFrames.fields(SentFrames.request("GET", "/"));
        peer.send(new SentFrames().block(id, true, HpackPeer.joined(get, SentFrames.newest(1))));
        assertEquals("b", peer.whole(id).text());
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_of_a_malformed_request(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.nextId();
            peer.send(new SentFrames().block(id, true, entering(":method", "GET")));
            assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(id));
            assertKnown(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void trailers_of_a_stream_that_was_reset(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int id = peer.post("/late");
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL).block(id, true, entering()));
            assertKnown(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_of_a_request_that_is_refused(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < ServerConnection.MOST_STREAMS; i++) peer.get("/late");
            int id = peer.nextId();
            peer.send(new SentFrames().block(id, true, entering(SentFrames.request("GET", "/"))));
            assertEquals(Http2Codes.REFUSED_STREAM, peer.resetCode(id));
            late.complete(Response.ok("late"));
            peer.whole(1);
            assertKnown(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void fields_of_a_request_behind_the_goodbye(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(app);
                var peer = Http2Peer.of(serving)) {
            int open = peer.post("/late");
            peer.sync();
            var drained = CompletableFuture.supplyAsync(() -> serving.server().drain(Duration.ofSeconds(20)));
            peer.until(() -> peer.got.goAways == 2);
            peer.send(new SentFrames().block(peer.nextId(), true, entering(SentFrames.request("GET", "/"))));
            peer.send(new SentFrames().block(open, true, SentFrames.newest(1)));
            late.complete(Response.ok("done"));
            assertEquals("done", peer.whole(open).text());
            assertEquals(true, drained.join());
        }
    }
}
