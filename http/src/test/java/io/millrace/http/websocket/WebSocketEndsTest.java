package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Overflow;
import io.millrace.http.AllMemory;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.memory.SocketCrowd;
import io.millrace.net.Guard;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How WebSockets of a server begin and end, with the defaults, in virtual time.
class WebSocketEndsTest {
    private static final byte[] PING = {(byte) 0x89, 0};
    private static final int LAST_BYTES = 100_000;

    static Stream<Dispatch> everywhere() {
        return Stream.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    private static Server serve(
            Simulation network, Dispatch dispatch, WebSocketSettings settings, WebSocketOpener opener) {
        return AnyDispatch.serve(
                network.on(SimulatedSocket.PORT),
                dispatch,
                HttpLimits.standard(),
                request -> WebSocket.accept(request, settings, opener));
    }

    private static Server serve(Simulation network, Dispatch dispatch, WebSocketOpener opener) {
        return serve(network, dispatch, WebSocketSettings.standard(), opener);
    }

    /// Keeps how it was closed.
    private record Ends(List<String> all) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            if (text.length() == LAST_BYTES) all.add("all of it");
        }

        @Override
        public void onClose(int code, String reason) {
            all.add(code + " " + reason);
        }
    }

    private static void assertActs(Guard guard, Runnable runs) {
        long before = guard.count();
        runs.run();
        assertEquals(before + 1, guard.count(), guard::toString);
    }

    // The handshake.

    @Test
    void the_example_of_the_rfc_is_agreed_to() {
        try (var network = new Simulation(1);
                var _ = serve(network, Dispatch.loop(), socket -> socket::send)) {
            var socket = SimulatedSocket.ask(network);
            assertEquals(101, socket.status());
            assertTrue(socket.head().contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), socket::head);
            socket.text("abc").advance(Duration.ofSeconds(1));
            assertArrayEquals(new byte[] {(byte) 0x81, 3, 'a', 'b', 'c'}, socket.frames());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Sec-WebSocket-Version: 8, 426",
        "Origin: https://evil.example, 403",
        "Origin: null, 403",
        "Origin: http://a.example, 101",
        "Origin: https://A.example, 101",
        "Origin: https://friend.example, 101",
        "Origin: https://Other.example, 101",
        "Origin: https://friend.example.evil.example, 403",
        "Sec-WebSocket-Key: second, 426",
        "Sec-WebSocket-Extensions: permessage-deflate; ==, 400",
        "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9, 101"
    })
    void a_handshake_is_answered_as_its_fields_say(String field, int status) {
        var settings = WebSocketSettings.standard().origins("https://friend.example", "https://OTHER.example");
        try (var network = new Simulation(1);
                var _ = serve(network, Dispatch.loop(), settings, socket -> socket::send)) {
            assertEquals(status, SimulatedSocket.ask(network, field).status());
        }
    }

    @Test
    void a_message_has_as_many_fragments_as_the_settings_say() {
        var settings = WebSocketSettings.standard().fragments(2);
        try (var network = new Simulation(6);
                var _ = serve(network, Dispatch.loop(), settings, socket -> socket::send)) {
            var socket = SimulatedSocket.ask(network).send(1, new byte[] {'a'}).send(0x80, new byte[] {'b'});
            socket.advance(Duration.ofSeconds(1));
            assertArrayEquals(new byte[] {(byte) 0x81, 2, 'a', 'b'}, socket.frames());
            socket.send(1, new byte[0])
                    .send(0, new byte[0])
                    .send(0, new byte[0])
                    .advance(Duration.ofSeconds(1));
            assertEquals(CloseCode.POLICY, socket.closeCode("a message in more than 2 fragments"));
        }
    }

    // The end.

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_silent_peer_is_pinged_and_then_given_up(Dispatch dispatch) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(1);
                var server = serve(network, dispatch, _ -> new Ends(ends))) {
            assertActs(HttpGuards.WS_IDLE, () -> {
                var socket = SimulatedSocket.ask(network).advance(Duration.ofSeconds(29));
                assertEquals(0, socket.frames().length);
                socket.advance(Duration.ofSeconds(2));
                assertArrayEquals(PING, socket.frames());
                socket.pong().advance(Duration.ofSeconds(59));
                assertEquals(1, server.connections());
                assertEquals(2 * PING.length, socket.frames().length);
                socket.advance(Duration.ofSeconds(3));
                assertEquals(0, server.connections());
            });
            assertEquals(List.of("1006 the peer was silent"), ends);
        }
    }

    /// Its pongs are not read while so much waits for it.
    @Test
    void a_peer_that_gets_much_and_takes_it_is_not_silent() {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(3).bandwidth(100_000);
                var _ = serve(network, Dispatch.loop(), socket -> new WebSocketHandler() {
                    @Override
                    public void onText(String text) {
                        onWritable();
                    }

                    @Override
                    public void onWritable() {
                        while (!socket.isFull()) socket.send("x".repeat(5_000));
                    }

                    @Override
                    public void onClose(int code, String reason) {
                        ends.add(code + " " + reason);
                    }
                })) {
            var socket = SimulatedSocket.ask(network).text("go");
            for (int i = 0; i < 150; i++) {
                socket.advance(Duration.ofSeconds(1));
                if (socket.peer.isOpen()) socket.pong();
            }
            assertEquals(List.of(), ends);
            // One that takes nothing any more is given up.
            socket.peer.pause();
            socket.advance(Duration.ofSeconds(150));
            assertEquals(1, ends.size());
        }
    }

    @Test
    void a_peer_that_has_not_got_the_ping_yet_is_not_silent() {
        var ends = new ArrayList<String>();
        var large = "x".repeat(220_000);
        try (var network = new Simulation(3).bandwidth(5_000).buffers(4 << 10, 4 << 10);
                var _ = serve(network, Dispatch.loop(), socket -> {
                    var _ = network.loops().next().after(Duration.ofSeconds(29), () -> socket.send(large));
                    return new Ends(ends);
                })) {
            var socket = SimulatedSocket.ask(network).advance(Duration.ofSeconds(80));
            assertEquals(List.of(), ends);
            socket.pong().advance(Duration.ofSeconds(50));
            assertEquals(List.of(), ends);
            socket.advance(Duration.ofSeconds(60));
            assertEquals(List.of("1006 the peer was silent"), ends);
        }
    }

    @Test
    void a_very_long_time_is_for_ever() {
        var longest = Duration.ofSeconds(Long.MAX_VALUE);
        var settings = WebSocketSettings.standard()
                .pingAfter(longest)
                .idleTimeout(longest)
                .closeTimeout(longest);
        try (var network = new Simulation(4);
                var server = serve(network, Dispatch.loop(), settings, socket -> text -> socket.close(4000, text))) {
            var socket = SimulatedSocket.ask(network).advance(Duration.ofDays(1));
            assertEquals(0, socket.frames().length);
            socket.text("bye").advance(Duration.ofDays(1));
            assertEquals(4000, socket.closeCode("bye"));
            assertEquals(1, server.connections());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_peer_that_does_not_answer_a_close_frame_is_given_up(Dispatch dispatch) {
        try (var network = new Simulation(2);
                var server = serve(network, dispatch, socket -> text -> socket.close(4000, text))) {
            assertActs(HttpGuards.WS_CLOSE, () -> {
                var socket = SimulatedSocket.ask(network).text("bye").advance(Duration.ofSeconds(4));
                assertEquals(4000, socket.closeCode("bye"));
                assertEquals(1, server.connections());
                socket.advance(Duration.ofSeconds(2));
                assertEquals(0, server.connections());
            });
        }
    }

    /// On a line of 5 KB/s, whether the system has taken all of it or not.
    @ParameterizedTest
    @ValueSource(ints = {8 << 10, 1 << 20})
    void what_was_sent_before_a_close_frame_arrives_whole(int bufferBytes) {
        try (var network = new Simulation(5).bandwidth(5_000).buffers(bufferBytes, bufferBytes);
                var server = serve(network, Dispatch.loop(), WebSocketEndsTest::lastWords)) {
            assertActs(HttpGuards.WS_CLOSE, () -> {
                var socket = SimulatedSocket.ask(network).text("bye").advance(Duration.ofSeconds(60));
                assertEquals(4000, socket.closeCode("bye"));
                assertEquals(10 + LAST_BYTES + 7, socket.frames().length);
                assertFalse(socket.peer.isReset(), socket.peer::toString);
                assertEquals(0, server.connections());
            });
        }
    }

    private static WebSocketHandler lastWords(WebSocket socket) {
        return text -> {
            socket.send("x".repeat(LAST_BYTES));
            socket.close(4000, text);
        };
    }

    /// Two messages whose characters take three bytes each.
    private static final String LONG = "\u6c34".repeat(LAST_BYTES);

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void a_client_on_a_slow_line_gets_what_was_sent_before_a_close_frame(HttpVersion version) {
        var here = new ArrayList<String>();
        var there = new ArrayList<String>();
        var plain = WebSocketSettings.standard().compresses(false);
        long before = HttpGuards.WS_CLOSE.count();
        try (var network = new Simulation(5).bandwidth(20_000).buffers(8 << 10, 8 << 10);
                var _ = serve(network, Dispatch.loop(), plain, socket -> {
                    socket.send(LONG);
                    socket.send(LONG);
                    socket.close(4000, "bye");
                    return new Ends(here);
                });
                var client = HttpClient.of(
                        ClientSettings.standard().loops(network.loops()).version(version))) {
            var host = Simulation.address(SimulatedSocket.PORT).getHostString();
            var request = Request.get("http://" + host + ":" + SimulatedSocket.PORT + "/");
            var _ = WebSocket.connect(client, request, plain, _ -> new Ends(there));
            network.advance(Duration.ofSeconds(60));
            assertEquals(List.of("all of it", "all of it", "4000 bye"), there);
            assertEquals(List.of("4000 "), here);
            assertEquals(before, HttpGuards.WS_CLOSE.count());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_peer_that_does_not_read_is_given_up_when_too_much_waits(Dispatch dispatch) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(3);
                var server = serve(network, dispatch, socket -> new WebSocketHandler() {
                    @Override
                    public void onText(String text) {
                        var message = "x".repeat(10_000);
                        while (socket.send(message)) {}
                    }

                    @Override
                    public void onClose(int code, String reason) {
                        ends.add(code + " " + reason);
                    }
                })) {
            assertActs(HttpGuards.WS_QUEUE, () -> {
                var socket = SimulatedSocket.ask(network);
                socket.peer.pause();
                socket.text("go").advance(Duration.ofSeconds(5));
                assertEquals(0, server.connections());
                assertFalse(socket.peer.isOpen());
            });
            assertEquals(List.of("1006 the peer was too slow"), ends);
        }
    }

    /// A message that is written at once, and one that is written aside: half of it may be there.
    @ParameterizedTest
    @ValueSource(ints = {1_000, 20_000})
    void a_message_that_finds_no_memory_ends_the_socket(int length) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(3, SimulationSettings.standard().threads(1));
                var server = serve(network, Dispatch.loop(), socket -> new WebSocketHandler() {
                    @Override
                    public void onText(String text) {
                        try (var _ = AllMemory.of(network.loops().next())) {
                            assertThrows(Overflow.class, () -> socket.send("x".repeat(length)));
                        }
                    }

                    @Override
                    public void onClose(int code, String reason) {
                        ends.add("" + code);
                    }
                })) {
            var socket = SimulatedSocket.ask(network).text("go").advance(Duration.ofSeconds(1));
            assertTrue(socket.peer.isReset(), socket.peer::toString);
            assertEquals(List.of("" + CloseCode.ABNORMAL), ends);
            assertEquals(0, server.connections());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "DROP_OLDEST"})
    void a_message_may_be_longer_than_what_may_wait(SlowReader policy) {
        var settings = WebSocketSettings.standard().queueBytes(1000).slowReader(policy);
        try (var network = new Simulation(5);
                var _ = serve(network, Dispatch.loop(), settings, socket -> text -> socket.send(text.repeat(50)))) {
            var socket = SimulatedSocket.ask(network).text("x".repeat(100)).advance(Duration.ofSeconds(1));
            assertEquals(4 + 5000, socket.frames().length);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void old_messages_make_room_where_the_settings_say_so(Dispatch dispatch) {
        var settings = WebSocketSettings.standard().queueBytes(10_000).slowReader(SlowReader.DROP_OLDEST);
        try (var network = new Simulation(4);
                var server = serve(network, dispatch, settings, socket -> text -> {
                    for (int i = 0; i < 100_000; i++) socket.send("m" + i);
                })) {
            var socket = SimulatedSocket.ask(network);
            socket.peer.pause();
            socket.text("go").advance(Duration.ofSeconds(5));
            socket.peer.resume();
            socket.advance(Duration.ofSeconds(50)).pong().advance(Duration.ofSeconds(1));
            assertEquals(1, server.connections());
            assertTrue(socket.peer.received().contains("m99999"), "the last one is kept");
            assertFalse(socket.peer.received().contains("m50000"), "those in the middle are not");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void of_messages_with_a_key_the_newest_is_kept(Dispatch dispatch) {
        var settings = WebSocketSettings.standard().queueBytes(100_000).slowReader(SlowReader.KEEP_NEWEST);
        var sockets = new ArrayList<WebSocket>();
        try (var network = new Simulation(9);
                var server = serve(network, dispatch, settings, socket -> {
                    sockets.add(socket);
                    return text -> {
                        for (int i = 0; i < 100_000; i++) socket.sendNewest("key" + i % 100, "m" + i + ";");
                    };
                })) {
            var socket = SimulatedSocket.ask(network);
            socket.peer.pause();
            socket.text("go").advance(Duration.ofSeconds(5));
            socket.peer.resume();
            socket.advance(Duration.ofSeconds(50)).pong().advance(Duration.ofSeconds(1));
            assertEquals(1, server.connections());
            var received = socket.peer.received();
            for (int i = 99_900; i < 100_000; i++) assertTrue(received.contains("m" + i + ";"), "m" + i);
            long got = received.chars().filter(c -> c == ';').count();
            assertEquals(100_000 - got, sockets.getFirst().missed());
            assertTrue(got < 90_000, "messages: " + got);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_server_that_stops_says_so(Dispatch dispatch) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(5);
                var server = serve(network, dispatch, _ -> new Ends(ends))) {
            var socket = SimulatedSocket.ask(network);
            var _ = network.loops().next().after(Duration.ofMillis(100), () -> socket.send(0x88, new byte[] {3, -23}));
            assertTrue(server.drain(Duration.ofSeconds(10)));
            assertEquals(1001, socket.closeCode("the server stops"));
            assertEquals(List.of("1001 "), ends);
        }
    }

    /// Those that come back at once would be too many for who serves next.
    @Test
    void a_server_that_stops_tells_many_one_after_the_other() {
        int count = 600;
        try (var network = new Simulation(9);
                var server = serve(network, Dispatch.loop(), _ -> new Ends(new ArrayList<>()))) {
            var crowd = new SocketCrowd(network, SimulatedSocket.PORT);
            crowd.join(count);
            network.advance(Duration.ofSeconds(10));
            assertEquals(count, server.connections());
            crowd.drainBegins();
            assertTrue(server.drain(Duration.ofSeconds(8)));
            var told = crowd.told(1001, 8);
            assertEquals(count, Arrays.stream(told).sum(), () -> Arrays.toString(told));
            for (int second = 0; second < 6; second++) assertEquals(100, told[second], 10, Arrays.toString(told));
            assertEquals(0, crowd.cut());
        }
    }

    @Test
    void one_that_opens_during_a_drain_is_told_too() {
        try (var network = new Simulation(10);
                var server = AnyDispatch.serve(
                        network.on(SimulatedSocket.PORT), Dispatch.loop(), HttpLimits.standard(), request -> {
                            var later = new CompletableFuture<Response>();
                            var opens = WebSocket.accept(request, _ -> new Ends(new ArrayList<>()));
                            var _ = network.loops().next().after(Duration.ofSeconds(3), () -> later.complete(opens));
                            return Response.later(later);
                        })) {
            var crowd = new SocketCrowd(network, SimulatedSocket.PORT);
            crowd.join(1);
            network.advance(Duration.ofSeconds(1));
            crowd.drainBegins();
            assertTrue(server.drain(Duration.ofSeconds(30)));
            assertEquals(1, crowd.told(1001, 4)[2] + crowd.told(1001, 4)[3]);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_connection_that_dies_closes_with_1006(Dispatch dispatch) {
        var ends = new ArrayList<String>();
        try (var network = new Simulation(6);
                var _ = serve(network, dispatch, _ -> new Ends(ends))) {
            SimulatedSocket.ask(network).peer.abort();
            network.run();
            assertEquals(List.of("1006 the connection ended without a close frame"), ends);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void what_follows_a_violation_is_not_read(Dispatch dispatch) {
        var got = new ArrayList<String>();
        try (var network = new Simulation(7);
                var _ = serve(network, dispatch, _ -> got::add)) {
            var socket = SimulatedSocket.ask(network).text("before").send(0xf1, new byte[0]);
            socket.text("behind").advance(Duration.ofMillis(500)).text("later").advance(Duration.ofSeconds(1));
            assertEquals(List.of("before"), got);
            assertEquals(1002, socket.closeCode("a frame with a reserved bit"));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_side_that_closes_gets_no_further_messages(Dispatch dispatch) {
        var got = new ArrayList<String>();
        try (var network = new Simulation(8);
                var _ = serve(network, dispatch, socket -> text -> {
                    got.add(text);
                    socket.close();
                })) {
            var socket = SimulatedSocket.ask(network).text("first").advance(Duration.ofSeconds(1));
            socket.send(1, new byte[] {'a'}).send(0x80, new byte[] {'b'}).text("second");
            socket.send(0x88, new byte[0]).advance(Duration.ofSeconds(2));
            assertEquals(List.of("first"), got);
        }
    }
}
