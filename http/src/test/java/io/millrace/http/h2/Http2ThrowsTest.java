package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.BodyDuplex;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.CloseCode;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.ws.RawFrame;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What user code throws that is no exception: it costs its stream, and the others of the connection go on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ThrowsTest {
    private final CompletableFuture<Response> late = new CompletableFuture<>();

    /// A stream that is open beside those of the test, before and after.
    private interface Part {
        void with(Http2Peer peer) throws IOException;
    }

    private void assertOthersGoOn(Serving.Kind kind, HttpSettings settings, HttpHandler app, Part part)
            throws IOException {
        HttpHandler both = request -> switch (request.path()) {
            case "/late" -> Response.later(late);
            case "/fine" -> Response.ok("fine");
            default -> app.handle(request);
        };
        try (var serving = kind.serve(settings, both);
                var peer = Http2Peer.of(serving)) {
            int other = peer.get("/late");
            part.with(peer);
            assertEquals("fine", peer.whole(peer.get("/fine")).text());
            late.complete(Response.ok("late"));
            assertEquals("late", peer.whole(other).text());
            assertEquals(0, peer.got.goAways);
        }
    }

    private void assertOthersGoOn(Serving.Kind kind, HttpHandler app, Part part) throws IOException {
        assertOthersGoOn(kind, HttpSettings.standard(), app, part);
    }

    private static void assertAnswered(Http2Peer peer, String path) throws IOException {
        assertEquals(500, peer.whole(peer.get(path)).status, path);
        // With a body, some of which is there.
        int id = peer.post(path, "content-length", "1000000");
        peer.part(id, new byte[10], false);
        assertEquals(500, peer.head(id).status, path);
        int whole = peer.post(path);
        assertEquals(500, peer.body(whole, new byte[10]).whole(whole).status, path);
    }

    private static int deep(int depth) {
        return depth < 0 ? 0 : deep(depth + 1) + 1;
    }

    private static Response thrown(String path) {
        return switch (path) {
            case "/assertion" -> throw new AssertionError("as told");
            case "/class" -> throw new NoClassDefFoundError("as told");
            case "/memory" -> throw new OutOfMemoryError("as told");
            default -> Response.ok("" + deep(0));
        };
    }

    @ParameterizedTest
    @EnumSource
    void an_error_of_a_handler_is_answered(Serving.Kind kind) throws IOException {
        assertOthersGoOn(kind, request -> thrown(request.path()), peer -> {
            assertAnswered(peer, "/deep");
            assertAnswered(peer, "/class");
            assertAnswered(peer, "/assertion");
        });
    }

    @ParameterizedTest
    @EnumSource
    void an_error_of_a_handler_behind_its_body_is_answered(Serving.Kind kind) throws IOException {
        assertOthersGoOn(kind, Http.whole(1000, request -> thrown("/assertion")), peer -> {
            int id = peer.post("/");
            assertEquals(500, peer.body(id, new byte[10]).whole(id).status);
            int known = peer.post("/", "content-length", "10");
            assertEquals(500, peer.body(known, new byte[10]).whole(known).status);
        });
    }

    @ParameterizedTest
    @EnumSource
    void an_error_of_what_changes_a_later_response_is_answered(Serving.Kind kind) throws IOException {
        var soon = new CompletableFuture<Response>();
        HttpHandler app = request -> Response.later(soon).map(_ -> thrown("/assertion"));
        assertOthersGoOn(kind, app, peer -> {
            int id = peer.get("/");
            peer.sync();
            soon.complete(Response.ok("soon"));
            assertEquals(500, peer.whole(id).status);
        });
    }

    /// As HTTP/1.1 does: there may be none for the others, either.
    @ParameterizedTest
    @EnumSource
    void want_of_memory_ends_the_connection(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(request -> thrown(request.path()));
                var peer = Http2Peer.of(serving)) {
            int id = peer.get("/memory");
            assertThrows(IOException.class, () -> peer.reply(id));
        }
    }

    // Bodies.

    /// Throws at a part or at the end, and perhaps when it is told that it is over.
    private record Failing(boolean atEnd, boolean whenOver) implements BodyReader, BodyDuplex {
        @Override
        public void onBody(Input part) {
            part.skip(part.remaining());
            if (!atEnd) throw new AssertionError("as told");
        }

        @Override
        public void onBody(Input part, Output out) {
            onBody(part);
        }

        @Override
        public Response onEnd() {
            throw new AssertionError("as told");
        }

        @Override
        public void onEnd(Output out) {
            throw new AssertionError("as told");
        }

        @Override
        public void onAbort() {
            if (whenOver) throw new AssertionError("as told");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_error_of_a_reader_is_answered(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> Response.reading(new Failing(request.path().equals("/end"), false));
        assertOthersGoOn(kind, app, peer -> {
            for (var path : List.of("/part", "/end")) {
                int id = peer.post(path);
                peer.part(id, new byte[10], false);
                peer.part(id, new byte[10], true);
                assertEquals(500, peer.head(id).status, path);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void an_error_behind_the_head_resets_its_stream(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> switch (request.path()) {
            case "/stream" -> Response.stream(200, _ -> thrown("/assertion").status() == 200);
            case "/push" -> Response.push(200, _ -> thrown("/assertion"));
            case "/blocking" -> Response.blocking(200, _ -> thrown("/assertion"));
            default -> Response.duplex(200, new Failing(false, false));
        };
        assertOthersGoOn(kind, app, peer -> {
            for (var path : List.of("/stream", "/push", "/blocking"))
                assertEquals(Http2Codes.INTERNAL_ERROR, peer.resetCode(peer.get(path)), path);
            int id = peer.post("/duplex");
            peer.part(id, new byte[10], false);
            assertEquals(Http2Codes.INTERNAL_ERROR, peer.resetCode(id));
        });
    }

    /// Told twice, it would be more than its stream.
    private static final class FailingWriter implements BodyWriter {
        @Override
        public boolean write(Output out) {
            out.write(new byte[100], 0, 100);
            return true;
        }

        @Override
        public void onClose() {
            throw new AssertionError("as told");
        }
    }

    /// More than the streams that may be open at a time.
    @ParameterizedTest
    @EnumSource
    void an_error_of_what_is_told_of_a_reset_keeps_no_stream(Serving.Kind kind) throws IOException {
        HttpHandler app = request -> request.path().equals("/stream")
                ? Response.stream(200, new FailingWriter())
                : Response.reading(new Failing(true, true));
        assertOthersGoOn(kind, app, peer -> {
            for (int i = 0; i < 60; i++) {
                int read = peer.post("/read");
                peer.part(read, new byte[1], false);
                int written = peer.get("/stream");
                peer.head(written);
                peer.send(new SentFrames().reset(read, Http2Codes.CANCEL).reset(written, Http2Codes.CANCEL));
                peer.sync();
            }
        });
    }

    // Tunnels.

    /// Throws at its first message, and at its end.
    private record FailingSocket(CountDownLatch closed) implements WebSocketHandler {
        @Override
        public void onText(String message) {
            throw new AssertionError("as told");
        }

        @Override
        public void onClose(int code, String reason) {
            closed.countDown();
            throw new AssertionError("as told");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_error_of_a_websockets_handler_closes_it(Serving.Kind kind) throws IOException {
        var closed = new CountDownLatch(2);
        HttpHandler app = request -> WebSocket.accept(request, _ -> new FailingSocket(closed));
        assertOthersGoOn(kind, app, peer -> {
            int id = peer.nextId();
            peer.send(new SentFrames()
                    .headers(id, false, SentFrames.websocket("/socket"))
                    .data(id, false, RawFrame.masked(0x81, "one")));
            peer.until(() -> peer.got.stream(id).bodyBytes() >= 4);
            var body = peer.got.stream(id).body();
            assertEquals(CloseCode.INTERNAL_ERROR, (body[2] & 0xff) << 8 | (body[3] & 0xff));
            peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            int gone = peer.nextId();
            peer.send(new SentFrames().headers(gone, false, SentFrames.websocket("/socket")));
            assertEquals(200, peer.head(gone).status);
            peer.send(new SentFrames().reset(gone, Http2Codes.CANCEL));
            await(closed);
        });
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /// More than the streams that may be open at a time.
    @ParameterizedTest
    @EnumSource
    void an_error_of_a_listener_at_the_end_of_a_tunnel_keeps_no_stream(Serving.Kind kind) throws IOException {
        var settings = HttpSettings.standard().listener(served -> {
            if (served.isTunnel()) throw new AssertionError("as told");
        });
        HttpHandler app = request -> WebSocket.accept(request, _ -> _ -> {});
        assertOthersGoOn(kind, settings, app, peer -> {
            for (int i = 0; i < 110; i++) {
                int id = peer.nextId();
                peer.send(new SentFrames().headers(id, false, SentFrames.websocket("/socket")));
                assertEquals(200, peer.head(id).status);
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
                peer.sync();
            }
        });
        assertTrue(late.isDone());
    }
}
