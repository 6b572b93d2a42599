package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.net.LoopCounters;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Streams that are tunnels: `CONNECT` (RFC 9113 section 8.5), and WebSocket (RFC 8441), which a handler opens as it
/// does in HTTP/1.1.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2TunnelTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int LARGE = 3_000_000;

    /// What asks for a tunnel.
    private enum Asking {
        CONNECT(Http2Codes.CONNECT_ERROR, ":method", "CONNECT", ":authority", "a.test:80"),
        WEBSOCKET(Http2Codes.CANCEL, SentFrames.websocket("/chat"));

        private final int abortCode;

        @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
        private final String[] fields;

        Asking(int abortCode, String... fields) {
            this.abortCode = abortCode;
            this.fields = fields;
        }
    }

    /// The server behind the tunnels of a test.
    private static final class Far implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        Far() throws IOException {}

        TunnelApp app() {
            return TunnelApp.to(listening.getLocalSocketAddress());
        }

        Socket accept() throws IOException {
            listening.setSoTimeout(PATIENCE_MILLIS);
            var socket = listening.accept();
            socket.setSoTimeout(PATIENCE_MILLIS);
            return socket;
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    private static int ask(Http2Peer peer, Asking asking) throws IOException {
        int id = peer.nextId();
        peer.send(new SentFrames().headers(id, false, asking.fields));
        return id;
    }

    private static CompletableFuture<Void> write(Socket to, byte[] bytes, boolean isEnd) {
        return CompletableFuture.runAsync(() -> {
            try {
                to.getOutputStream().write(bytes);
                if (isEnd) to.shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void bytesGoBothWays(Serving.Kind kind, Asking asking, boolean isElsewhere) throws Exception {
        var there = random(LARGE);
        var back = random(LARGE + 1);
        try (var far = new Far();
                var others = EventLoops.configure().threads(1).start()) {
            var app = far.app();
            var used = isElsewhere ? new TunnelApp(app.to(), _ -> others.next()) : app;
            try (var serving = kind.serve(used);
                    var peer = Http2Peer.of(serving);
                    var second = Http2Peer.of(serving)) {
                int id = ask(peer, asking);
                try (var socket = far.accept()) {
                    assertEquals(200, peer.head(id).status);
                    assertEquals(
                            asking == Asking.CONNECT ? "" : "/chat",
                            peer.got.stream(id).header("x-mine"));
                    assertEquals("", peer.got.stream(id).header("sec-websocket-accept"));
                    assertEquals("", peer.got.stream(id).header("upgrade"));
                    assertEquals("", peer.got.stream(id).header("connection"));
                    var reading = CompletableFuture.supplyAsync(() -> readAll(socket));
                    peer.part(id, there, true);
                    assertArrayEquals(there, reading.join());
                    var writing = write(socket, back, true);
                    assertArrayEquals(back, peer.whole(id).body());
                    writing.join();
                }
                assertEquals("GET /next", peer.whole(peer.get("/next")).text());
                assertEquals("GET /other", second.whole(second.get("/other")).text());
            }
        }
    }

    private static byte[] readAll(Socket socket) {
        try {
            return socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytes_go_both_ways_through_CONNECT(Serving.Kind kind) throws Exception {
        bytesGoBothWays(kind, Asking.CONNECT, false);
        bytesGoBothWays(kind, Asking.CONNECT, true);
    }

    @ParameterizedTest
    @EnumSource
    void bytes_go_both_ways_through_WebSocket(Serving.Kind kind) throws Exception {
        bytesGoBothWays(kind, Asking.WEBSOCKET, false);
        bytesGoBothWays(kind, Asking.WEBSOCKET, true);
    }

    @ParameterizedTest
    @EnumSource
    void either_side_may_end_first_and_still_get_the_rest(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            for (var asking : Asking.values()) {
                int id = ask(peer, asking);
                try (var socket = far.accept()) {
                    write(socket, "hello".getBytes(ISO_8859_1), true).join();
                    peer.until(() -> peer.got.stream(id).hasEnded);
                    assertEquals("hello", peer.got.stream(id).text());
                    peer.send(new SentFrames().data(id, false, "late").data(id, true, "r"));
                    assertEquals("later", new String(readAll(socket), ISO_8859_1));
                }
            }
            assertEquals("GET /next", peer.whole(peer.get("/next")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_of_either_side_resets_the_other(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            for (var asking : Asking.values()) {
                int id = ask(peer, asking);
                try (var socket = far.accept()) {
                    peer.head(id);
                    socket.setSoLinger(true, 0);
                }
                assertEquals(asking.abortCode, peer.resetCode(id));
                int next = ask(peer, asking);
                try (var socket = far.accept()) {
                    peer.head(next);
                    peer.send(new SentFrames().data(next, false, "x"));
                    assertEquals('x', socket.getInputStream().read());
                    peer.send(new SentFrames().reset(next, Http2Codes.CANCEL));
                    assertThrows(
                            IOException.class, () -> socket.getInputStream().read());
                }
            }
            assertEquals("GET /next", peer.whole(peer.get("/next")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_that_leaves_takes_its_tunnels_along(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app())) {
            for (var asking : Asking.values()) {
                Socket socket;
                try (var peer = Http2Peer.of(serving)) {
                    int id = ask(peer, asking);
                    socket = far.accept();
                    peer.head(id);
                }
                try (socket) {
                    assertThrows(IOException.class, () -> {
                        if (socket.getInputStream().read() < 0) throw new IOException("an end");
                    });
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_window_of_a_byte_passes_all(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving, 1)) {
            int id = ask(peer, Asking.WEBSOCKET);
            try (var socket = far.accept()) {
                write(socket, "hello, world".getBytes(ISO_8859_1), true).join();
                peer.until(() -> peer.got.stream(id).hasEnded);
                assertEquals("hello, world", peer.got.stream(id).text());
                peer.send(new SentFrames().data(id, true));
                assertEquals(-1, socket.getInputStream().read());
            }
        }
    }

    /// What waits for it is bounded by windows, the limit of an output, and what a socket's buffers hold.
    @ParameterizedTest
    @EnumSource
    void a_peer_that_never_reads_stops_the_other_side(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving, 1_000).givesNoWindow()) {
            int id = ask(peer, Asking.WEBSOCKET);
            try (var socket = far.accept()) {
                peer.head(id);
                socket.setSendBufferSize(64 << 10);
                var writing = CompletableFuture.runAsync(() -> writeUntilReset(socket));
                peer.until(() -> peer.got.stream(id).bodyBytes() == 1_000);
                assertEquals("GET /next", peer.whole(peer.get("/next")).text());
                long held = serving.loops().counters().stream()
                        .mapToLong(LoopCounters::slabBytesInUse)
                        .sum();
                assertTrue(held < 2 << 20, () -> held + " bytes of slabs");
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
                writing.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private static void writeUntilReset(Socket socket) {
        var part = new byte[16 << 10];
        try {
            OutputStream out = socket.getOutputStream();
            while (true) out.write(part);
        } catch (IOException _) {
            // Which this waits for.
        }
    }

    /// The window of a stream stays shut while the far side takes nothing.
    @ParameterizedTest
    @EnumSource
    void a_far_side_that_never_reads_stops_the_peer(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            int id = ask(peer, Asking.WEBSOCKET);
            try (var socket = far.accept()) {
                peer.head(id);
                var part = new byte[8 << 10];
                long sent = 0;
                long most = 64L << 20;
                while (sent < most && hasRoom(peer, id)) {
                    int length = Math.min(part.length, peer.got.room(id));
                    peer.got.sent(id, length);
                    peer.send(new SentFrames().data(id, false, Arrays.copyOf(part, length)));
                    sent += length;
                }
                assertTrue(sent < most, "the window never shut");
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
                assertEquals("GET /next", peer.whole(peer.get("/next")).text());
                assertTrue(socket.isConnected());
            }
        }
    }

    /// Whether there is room, when the server has taken what was sent.
    private static boolean hasRoom(Http2Peer peer, int id) throws IOException {
        if (peer.got.room(id) > 0) return true;
        peer.sync();
        return peer.got.room(id) > 0;
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_opens_no_tunnel_does_not_seem_to(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> Response.ok(request.method() + " " + request.path()));
                var peer = Http2Peer.of(serving)) {
            for (var asking : Asking.values()) {
                int id = ask(peer, asking);
                peer.send(new SentFrames().data(id, false, "early"));
                assertEquals(501, peer.head(id).status);
            }
            assertEquals("GET /next", peer.whole(peer.get("/next")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_refusal_is_a_response(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            int id = peer.nextId();
            peer.send(new SentFrames()
                    .headers(id, false, SentFrames.websocket("/no"))
                    .data(id, true, "early"));
            assertEquals(403, peer.whole(id).status);
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_is_announced_and_what_is_malformed_is_reset(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            assertMalformed(peer, ":protocol", "websocket", ":method", "GET", ":scheme", "http", ":path", "/");
            assertMalformed(peer, replaced(SentFrames.websocket("/"), ":method", "GET"));
            assertMalformed(peer, without(SentFrames.websocket("/"), ":scheme"));
            assertMalformed(peer, without(SentFrames.websocket("/"), ":path"));
            assertMalformed(peer, without(SentFrames.websocket("/"), ":authority"));
            assertMalformed(peer, SentFrames.websocket("/", "content-length", "0"));
            assertMalformed(peer, SentFrames.websocket("/", "upgrade", "websocket"));
            assertMalformed(peer, SentFrames.websocket("/", "connection", "upgrade"));
            assertMalformed(peer, SentFrames.websocket("/", ":protocol", "websocket"));
            assertMalformed(peer, ":method", "CONNECT", ":scheme", "http", ":path", "/", ":authority", "a");
            int id = peer.nextId();
            peer.send(new SentFrames().headers(id, false, replaced(SentFrames.websocket("/"), ":protocol", "other")));
            assertEquals(501, peer.head(id).status);
            assertEquals(1, peer.got.setting(Http2Codes.ENABLE_CONNECT));
        }
    }

    private static void assertMalformed(Http2Peer peer, String... fields) throws IOException {
        int id = peer.nextId();
        peer.send(new SentFrames().headers(id, false, fields));
        assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(id), () -> String.join(" ", fields));
        assertEquals("GET /next", peer.whole(peer.get("/next")).text());
    }

    private static String[] without(String[] fields, String name) {
        var kept = new ArrayList<String>();
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i].equals(name)) continue;
            kept.add(fields[i]);
            kept.add(fields[i + 1]);
        }
        return kept.toArray(String[]::new);
    }

    private static String[] replaced(String[] fields, String name, String value) {
        var copy = fields.clone();
        for (int i = 0; i < copy.length; i += 2) if (copy[i].equals(name)) copy[i + 1] = value;
        return copy;
    }

    @ParameterizedTest
    @EnumSource
    void a_websocket_opens_once_though_its_stream_has_ended_with_its_request(Serving.Kind kind) throws Exception {
        var opened = new AtomicInteger();
        try (var serving = kind.serve(request -> WebSocket.accept(request, _ -> {
                    opened.incrementAndGet();
                    return _ -> {};
                }));
                var peer = Http2Peer.of(serving)) {
            int id = peer.nextId();
            peer.send(new SentFrames().headers(id, true, Asking.WEBSOCKET.fields));
            assertEquals(200, peer.whole(id).status);
            assertEquals(426, peer.whole(peer.get("/next")).status);
            assertEquals(1, opened.get());
        }
    }

    /// Over HTTP/1.1 an end of the connection does the same.
    @ParameterizedTest
    @EnumSource
    void a_websocket_whose_stream_ends_in_the_middle_of_a_frame_closes(Serving.Kind kind) throws Exception {
        var closed = new CompletableFuture<Integer>();
        try (var serving = kind.serve(request -> WebSocket.accept(request, opened -> new WebSocketHandler() {
                    @Override
                    public void onText(String text) {}

                    @Override
                    public void onClose(int code, String reason) {
                        closed.complete(code);
                    }
                }));
                var peer = Http2Peer.of(serving)) {
            int id = ask(peer, Asking.WEBSOCKET);
            peer.head(id);
            peer.send(new SentFrames().data(id, true, (byte) 0x81));
            assertEquals(1006, closed.get(5, TimeUnit.SECONDS));
        }
    }

    /// As one does that has closed its end, and waits no longer for the other.
    @ParameterizedTest
    @EnumSource
    void what_came_before_an_end_and_a_reset_without_an_error_arrives(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            int id = ask(peer, Asking.CONNECT);
            try (var socket = far.accept()) {
                peer.head(id);
                int sent = 0;
                for (int room = peer.got.room(id);
                        room > 0;
                        room = peer.sync().got.room(id)) {
                    peer.part(id, new byte[room], false);
                    sent += room;
                }
                peer.send(new SentFrames().data(id, true).reset(id, Http2Codes.NO_ERROR));
                peer.sync();
                assertEquals(sent, readAll(socket).length);
            }
            assertEquals("GET /next", peer.whole(peer.get("/next")).text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void fields_in_a_tunnel_are_malformed(Serving.Kind kind) throws Exception {
        try (var far = new Far();
                var serving = kind.serve(far.app());
                var peer = Http2Peer.of(serving)) {
            int id = ask(peer, Asking.WEBSOCKET);
            try (var socket = far.accept()) {
                peer.head(id);
                peer.send(new SentFrames().headers(id, true, "x-trailer", "y"));
                assertEquals(Http2Codes.PROTOCOL_ERROR, peer.resetCode(id));
                assertThrows(IOException.class, () -> socket.getInputStream().read());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_is_over_when_its_tunnel_is_and_its_bytes_are_counted(Serving.Kind kind) throws Exception {
        var served = new LinkedBlockingQueue<List<Object>>();
        var settings = HttpSettings.standard()
                .listener(one ->
                        served.add(List.of(one.status(), one.isTunnel(), one.requestBytes(), one.responseBytes())));
        try (var far = new Far();
                var serving = kind.serve(settings, far.app());
                var peer = Http2Peer.of(serving)) {
            int id = ask(peer, Asking.WEBSOCKET);
            try (var socket = far.accept()) {
                peer.head(id);
                peer.send(new SentFrames().data(id, true, "seven77"));
                assertEquals("seven77", new String(readAll(socket), ISO_8859_1));
                assertEquals(List.of(), List.copyOf(served));
                write(socket, "four".getBytes(ISO_8859_1), true).join();
                peer.whole(id);
            }
            assertEquals(List.of(101, true, 7L, 4L), served.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
        }
    }
}
