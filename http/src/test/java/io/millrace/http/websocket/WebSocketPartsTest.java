package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Messages in parts, in both directions.
class WebSocketPartsTest {
    private static final int PART = 10_000;

    /// Longer than a whole message may be.
    private static final int LONG = 3 << 19;

    private static final WebSocketSettings IN_PARTS =
            WebSocketSettings.standard().partBytes(PART).pingAfter(Duration.ofMillis(1));

    /// Sends each part back as it comes, and takes no more than the peer does.
    private record EchoParts(WebSocket socket) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            throw new IllegalStateException("a whole message");
        }

        @Override
        public void onPart(WebSocket from, WebSocketPart part) {
            switch (part.content()) {
                case WebSocketMessage.Text(var text) -> socket.sendPart(checked(text), part.isLast());
                case WebSocketMessage.Binary(var bytes) -> socket.sendPart(checked(bytes), part.isLast());
            }
            if (socket.isFull()) socket.pause();
        }

        @Override
        public void onWritable() {
            socket.resume();
        }
    }

    private static final HttpHandler CALLBACK = request -> WebSocket.accept(request, IN_PARTS, EchoParts::new);

    private static final HttpHandler DIRECT = request -> WebSocket.serve(request, IN_PARTS, socket -> {
        for (WebSocketPart part; (part = socket.receivePart()) != null; ) {
            switch (part.content()) {
                case WebSocketMessage.Text(var text) -> socket.sendPart(checked(text), part.isLast());
                case WebSocketMessage.Binary(var bytes) -> socket.sendPart(checked(bytes), part.isLast());
            }
        }
    });

    private static String checked(String text) {
        if (text.length() > PART + 3) throw new IllegalStateException("a part of " + text.length());
        return text;
    }

    private static Bytes checked(Bytes bytes) {
        if (bytes.length() > PART) throw new IllegalStateException("a part of " + bytes.length());
        return bytes;
    }

    private static void assertEchoes(Serving.Kind kind, HttpVersion version, HttpHandler app) throws Exception {
        var bytes = new byte[LONG];
        new Random(1).nextBytes(bytes);
        var text = "aß€😀".repeat(LONG / 10);
        var settings = WebSocketSettings.standard().partBytes(PART);
        try (var serving = kind.serve(app);
                var client = HttpClient.of(
                        ClientSettings.standard().loops(serving.loops()).version(version));
                var socket = BlockingWebSocket.connect(client, WebSocket.request(serving.url("/")), settings)) {
            var sender = Thread.ofVirtual().start(() -> send(socket, text, bytes));
            assertSame(text.getBytes(UTF_8), receive(socket));
            assertSame(bytes, receive(socket));
            assertEquals(0, receive(socket).length);
            sender.join();
        }
    }

    /// Without showing all of it.
    private static void assertSame(byte[] expected, byte[] actual) {
        assertEquals(expected.length, actual.length);
        assertEquals(-1, Arrays.mismatch(expected, actual));
    }

    private static void send(BlockingWebSocket socket, String text, byte[] bytes) {
        try {
            for (int at = 0; at < text.length(); at += 50_000)
                socket.sendPart(text.substring(at, Math.min(text.length(), at + 50_000)), false);
            socket.sendPart("", true);
            socket.sendPart(Bytes.of(bytes), true);
            socket.send("");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static byte[] receive(BlockingWebSocket socket) throws Exception {
        var all = new ByteArrayOutputStream();
        for (var part = socket.receivePart(); part != null; part = socket.receivePart()) {
            switch (part.content()) {
                case WebSocketMessage.Text(var text) -> all.writeBytes(text.getBytes(UTF_8));
                case WebSocketMessage.Binary(var bytes) -> all.writeBytes(bytes.toArray());
            }
            if (part.isLast()) return all.toByteArray();
        }
        throw new AssertionError("the socket has closed after " + all.size() + " bytes");
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_VIRTUAL", "URING_POOL"})
    void long_messages_pass_through_a_handler(Serving.Kind kind) throws Exception {
        assertEchoes(kind, HttpVersion.HTTP_1_1, CALLBACK);
        assertEchoes(kind, HttpVersion.HTTP_2, CALLBACK);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_VIRTUAL", "URING_POOL"})
    void long_messages_pass_through_a_session(Serving.Kind kind) throws Exception {
        assertEchoes(kind, HttpVersion.HTTP_1_1, DIRECT);
        assertEchoes(kind, HttpVersion.HTTP_2, DIRECT);
    }

    @Test
    void whole_messages_wait_for_the_last_part_and_pongs_do_not() {
        var opened = new java.util.ArrayList<WebSocket>();
        try (var network = new Simulation(1);
                var _ = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT),
                        Dispatch.loop(),
                        HttpLimits.standard(),
                        request -> WebSocket.accept(request, socket -> {
                            opened.add(socket);
                            return _ -> {};
                        }))) {
            var peer = SimulatedSocket.ask(network);
            var socket = opened.getFirst();
            assertTrue(socket.sendPart("a", false));
            assertTrue(socket.send("whole"));
            peer.send(0x89, new byte[0]).advance(Duration.ofSeconds(1));
            assertTrue(socket.sendPart("b", true));
            network.run();
            var sent = HexFormat.of().formatHex(peer.frames());
            assertEquals("010161" + "8a00" + "800162" + "810577686f6c65", sent);
        }
    }

    @Test
    void a_character_that_is_cut_begins_the_next_part() {
        var got = new java.util.ArrayList<WebSocketPart>();
        try (var network = new Simulation(2);
                var _ = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT),
                        Dispatch.loop(),
                        HttpLimits.standard(),
                        request -> WebSocket.accept(request, IN_PARTS, _ -> new WebSocketHandler() {
                            @Override
                            public void onText(String text) {}

                            @Override
                            public void onPart(WebSocket from, WebSocketPart part) {
                                got.add(part);
                            }
                        }))) {
            var smile = "😀".getBytes(UTF_8);
            var peer = SimulatedSocket.ask(network);
            for (int i = 0; i < smile.length; i++) {
                peer.send(i == 0 ? 1 : 0, new byte[] {smile[i]}).advance(Duration.ofSeconds(1));
            }
            peer.send(0x80, new byte[0]).advance(Duration.ofSeconds(1));
            var texts = new StringBuilder();
            for (var part : got) texts.append(((WebSocketMessage.Text) part.content()).text());
            assertEquals("😀", texts.toString());
            assertTrue(got.getLast().isLast());
        }
    }
}
