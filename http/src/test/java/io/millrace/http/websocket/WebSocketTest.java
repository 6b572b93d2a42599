package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Serving;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// WebSockets of a server, whose peer is the JDK's client.
class WebSocketTest {
    /// Echoes messages of both kinds.
    private record Echo(WebSocket socket) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            socket.send(text);
        }

        @Override
        public void onBinary(WebSocket from, Bytes bytes) {
            socket.send(bytes);
        }
    }

    private static final HttpHandler CALLBACK = request -> WebSocket.accept(request, Echo::new);

    private static final HttpHandler DIRECT = request -> WebSocket.serve(request, socket -> {
        for (WebSocketMessage message; (message = socket.receiveAny()) != null; ) {
            switch (message) {
                case WebSocketMessage.Text(var text) -> socket.send(text);
                case WebSocketMessage.Binary(var bytes) -> socket.send(bytes);
            }
        }
    });

    private static void assertEchoes(Serving.Kind kind, HttpHandler app) throws Exception {
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.send("hello").assertGets("hello");
            peer.send("").assertGets("");
            var long_ = "äß€😀".repeat(20_000);
            peer.send(long_).assertGets(long_);
            var bytes = new byte[] {1, 2, 3, -1};
            assertArrayEquals(bytes, (byte[]) peer.send(bytes).next());
            for (int i = 0; i < 100; i++) peer.send("m" + i);
            for (int i = 0; i < 100; i++) peer.assertGets("m" + i);
            peer.socket.sendClose(1000, "bye").join();
            assertEquals("1000", peer.end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void messages_of_both_kinds_are_echoed_by_a_handler(Serving.Kind kind) throws Exception {
        assertEchoes(kind, CALLBACK);
    }

    @ParameterizedTest
    @EnumSource
    void messages_of_both_kinds_are_echoed_by_a_session(Serving.Kind kind) throws Exception {
        assertEchoes(kind, DIRECT);
    }

    @ParameterizedTest
    @EnumSource
    void a_message_in_fragments_arrives_as_one(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(CALLBACK);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.socket.sendText("one ", false).join();
            peer.socket.sendPing(ByteBuffer.allocate(5)).join();
            peer.socket.sendText("two", true).join();
            peer.assertGets("pong 5");
            peer.assertGets("one two");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_closes_with_a_code_and_a_reason(Serving.Kind kind) throws Exception {
        HttpHandler app = request -> WebSocket.accept(request, socket -> text -> {
            socket.send("last");
            socket.close(4001, text);
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.send("enough").assertGets("last");
            assertEquals("4001 enough", peer.end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_learns_how_the_peer_closed(Serving.Kind kind) throws Exception {
        var closed = new CompletableFuture<String>();
        HttpHandler app = request -> WebSocket.accept(request, socket -> new WebSocketHandler() {
            @Override
            public void onText(String text) {}

            @Override
            public void onClose(int code, String reason) {
                closed.complete(code + " " + reason);
            }
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.socket.sendClose(3000, "gone").join();
            assertEquals("3000 gone", closed.get(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_throws_closes_its_socket_with_1011(Serving.Kind kind) throws Exception {
        HttpHandler app = request -> WebSocket.accept(request, socket -> text -> {
            throw new IllegalStateException("a test");
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.send("hello");
            assertEquals("1011", peer.end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_returns_closes_its_socket(Serving.Kind kind) throws Exception {
        HttpHandler app = request -> WebSocket.serve(request, socket -> socket.send("all " + socket.receive()));
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.send("hello").assertGets("all hello");
            assertEquals("1000", peer.end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_ends_because_another_socket_has_closed_closes_its_own_with_1011(Serving.Kind kind)
            throws Exception {
        HttpHandler app = request -> WebSocket.serve(request, _ -> {
            throw new WebSocketClosed(CloseCode.ABNORMAL, "another socket");
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            assertEquals("1011", peer.end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_gets_null_when_the_peer_closes(Serving.Kind kind) throws Exception {
        var last = new CompletableFuture<String>();
        HttpHandler app = request -> WebSocket.serve(request, socket -> {
            var received = socket.receive();
            last.complete(String.valueOf(received));
            assertNull(received);
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.socket.sendClose(1001, "").join();
            assertEquals("null", last.get(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void both_sides_speak_the_first_subprotocol_of_the_server_that_the_client_offers(Serving.Kind kind)
            throws Exception {
        var settings = WebSocketSettings.standard().subprotocols("v3", "v2", "v1");
        HttpHandler app = request -> WebSocket.accept(
                request,
                settings,
                socket -> text -> socket.send(socket.subprotocol().orElse("none")));
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"), "v1", "v2")) {
            assertEquals("v2", peer.socket.getSubprotocol());
            peer.send("which").assertGets("v2");
        }
    }
}
