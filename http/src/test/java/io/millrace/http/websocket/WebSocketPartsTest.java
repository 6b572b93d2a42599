package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Serving;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.sim.Simulation;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

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

    /// A server whose sockets say nothing by themselves.
    private static Server collecting(Simulation network, List<WebSocket> opened) {
        return AnyDispatch.serve(
                network.on(SimulatedSocket.PORT),
                Dispatch.loop(),
                HttpLimits.standard(),
                request -> WebSocket.accept(request, socket -> {
                    opened.add(socket);
                    return _ -> {};
                }));
    }

    @Test
    void whole_messages_wait_for_the_last_part_and_pongs_do_not() {
        var opened = new ArrayList<WebSocket>();
        try (var network = new Simulation(1);
                var _ = collecting(network, opened)) {
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
    void a_close_frame_follows_what_was_sent_but_for_whole_messages_that_wait_for_a_last_part() {
        var opened = new ArrayList<WebSocket>();
        try (var network = new Simulation(1);
                var _ = collecting(network, opened)) {
            var peer = SimulatedSocket.ask(network);
            var socket = opened.getFirst();
            assertTrue(socket.send("one"));
            assertTrue(socket.sendPart("a", false));
            assertTrue(socket.send("whole"));
            assertTrue(socket.sendPart("b", false));
            socket.close();
            assertFalse(socket.sendPart("c", true));
            network.run();
            var sent = HexFormat.of().formatHex(peer.frames());
            assertEquals("81036f6e65" + "010161" + "000162" + "880203e8", sent);
            assertEquals(0, socket.missed());
        }
    }

    @Test
    void frames_that_bring_nothing_of_a_message_do_not_come_without_end() {
        try (var network = new Simulation(1);
                var _ = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT),
                        Dispatch.loop(),
                        HttpLimits.standard(),
                        request -> WebSocket.accept(request, IN_PARTS.pingAfter(Duration.ZERO), EchoParts::new))) {
            var peer = SimulatedSocket.ask(network).send(1, "a".getBytes(UTF_8));
            for (int i = 0; i < 1000; i++) peer.send(0, new byte[0]);
            network.run();
            assertEquals("010161", HexFormat.of().formatHex(peer.frames()));
            for (int i = 0; i < 1000; i++) peer.send(0, new byte[0]);
            network.run();
            assertEquals(1008, peer.closeCode("more than 1000 control or empty frames in a row"));
        }
    }

    /// Pauses after each part.
    private record Sipping(WebSocket socket, List<Bytes> got) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            throw new IllegalStateException("a whole message");
        }

        @Override
        public void onPart(WebSocket from, WebSocketPart part) {
            socket.pause();
            got.add(((WebSocketMessage.Binary) part.content()).bytes());
        }
    }

    static List<Dispatch> everywhere() {
        return List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_has_paused_gets_no_further_part_until_it_resumes_or_the_end(Dispatch dispatch) {
        var opened = new ArrayList<WebSocket>();
        var got = new ArrayList<Bytes>();
        var patient = WebSocketSettings.standard().pingAfter(Duration.ZERO).idleTimeout(Duration.ZERO);
        try (var network = new Simulation(3);
                var _ = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT),
                        dispatch,
                        HttpLimits.standard(),
                        request -> WebSocket.accept(request, patient.partBytes(1000), socket -> {
                            opened.add(socket);
                            return new Sipping(socket, got);
                        }));
                var client = HttpClient.on(network.loops())) {
            var url = "http://" + Simulation.address(SimulatedSocket.PORT).getHostString() + "/";
            var asked = WebSocket.connect(client, Request.get(url), patient, _ -> _ -> {});
            network.advance(Duration.ofSeconds(1));
            asked.join().send(Bytes.of(new byte[200_000]));
            for (int parts = 1; parts <= 150; parts++) {
                network.advance(Duration.ofSeconds(1));
                assertEquals(parts, got.size());
                opened.getFirst().resume();
            }
            network.advance(Duration.ofSeconds(1));
            int before = got.size();
            opened.getFirst().abort();
            network.advance(Duration.ofSeconds(1));
            assertTrue(got.size() > before, "what had arrived");
            assertTrue(got.stream().allMatch(part -> part.length() <= 1000));
        }
    }

    @Test
    void a_character_that_is_cut_begins_the_next_part() {
        var got = new ArrayList<WebSocketPart>();
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
