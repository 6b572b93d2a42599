package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketSettings;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Load over WebSockets on the real server, over both versions of HTTP, on networks that delay, cut and hold up bytes
/// in
/// every way.
class WsLoadSeedsTest {
    private static final int SEEDS = 60;
    private static final int MESSAGES = 40;
    private static final WsHandshake PLAIN = WsHandshake.of("localhost:7", "/ws?a=b");

    // Messages that come back.

    @Test
    void counts_messages_that_come_back() {
        Simulation.forEachSeed(SEEDS, network -> {
            serve(network, socket -> socket::send);
            var result = load(network, new WsMessages(handshake(network), 1 + network.random(3000)));
            assertEquals("", result.firstError());
            assertEquals(MESSAGES, result.messages());
        });
    }

    @Test
    void long_messages_wait_for_windows_and_come_back() {
        Simulation.forEachSeed(20, network -> {
            serve(network, socket -> socket::send);
            var messages = new WsMessages(handshake(network), 100_000 + network.random(200_000));
            var result = run(network, patient().connections(2).with(messages).messages(6));
            assertEquals("", result.firstError());
            assertEquals(6, result.messages());
        });
    }

    @Test
    void a_message_that_comes_back_otherwise_is_an_error() {
        assertWrong(
                "byte 20 of message 0 on connection 0 came back wrong",
                text -> text.substring(0, 20) + (char) (text.charAt(20) ^ 1) + text.substring(21));
        assertWrong("message 0 on connection 0 came back longer than it was", text -> text + "!");
        assertWrong("message 0 on connection 0 came back cut", text -> text.substring(0, 63));
    }

    private static void assertWrong(String words, Function<String, String> changed) {
        Simulation.forEachSeed(10, network -> {
            serve(network, socket -> text -> socket.send(changed.apply(text)));
            var messages = new WsMessages(handshake(network), 64);
            var result = run(network, patient().connections(1).with(messages).messages(3));
            assertEquals(words, result.firstError());
            assertEquals(0, result.messages());
        });
    }

    @Test
    void bytes_and_the_end_are_no_answers() {
        refused("sent a frame of kind 2", socket -> _ -> socket.send(Bytes.utf8("a")));
        refused("closed it with code 4000", socket -> _ -> socket.close(4000, "enough"));
    }

    private static void refused(String words, Function<WebSocket, WebSocketHandler> handler) {
        Simulation.forEachSeed(10, network -> {
            serve(network, handler);
            var messages = new WsMessages(handshake(network), 64);
            var result = run(network, patient().connections(1).with(messages).messages(3));
            assertEquals("the server of connection 0 " + words, result.firstError());
        });
    }

    @Test
    void without_a_websocket_there_is_no_load() {
        Simulation.forEachSeed(10, network -> {
            Http.listen(network.on(PORT), request -> Response.status(404));
            var messages = new WsMessages(handshake(network), 64);
            var failed =
                    assertThrows(IOException.class, () -> run(network, patient().with(messages)));
            var sentence = String.valueOf(failed.getMessage());
            assertTrue(
                    sentence.matches("connection \\d+ cannot be made: the WebSocket on connection \\d+ was not"
                            + " opened: .*404.*"),
                    sentence);
        });
    }

    @Test
    void a_server_that_says_nothing_is_given_up() {
        Simulation.forEachSeed(5, network -> {
            network.listen(PORT, _ -> in -> in.skip(in.remaining()));
            var messages = new WsMessages(PLAIN, 64);
            var failed = assertThrows(
                    IOException.class,
                    () -> run(network, settings().connections(1).with(messages)));
            assertEquals("connection 0 cannot be made: the server did not agree within 10 s", failed.getMessage());
        });
    }

    // Messages to all.

    @Test
    void counts_each_message_at_each_connection() {
        Simulation.forEachSeed(SEEDS, network -> {
            serve(network, chat(new AtomicInteger(), WebSocket::send));
            int connections = 1 + network.random(12);
            var messages = new FanOutMessages(
                    handshake(network), FanOutMark.BYTES + network.random(3000), 1 + network.random(4), 0, true);
            var result = load(network, messages, connections);
            assertEquals("", result.firstError());
            assertEquals((long) MESSAGES * connections, result.messages());
        });
    }

    @Test
    void compressed_messages_are_read() {
        Simulation.forEachSeed(SEEDS, network -> {
            serve(network, chat(new AtomicInteger(), WebSocket::send));
            var messages = new FanOutMessages(PLAIN.packed(), 2000, 2, 0, true);
            var result = load(network, messages, 5);
            assertEquals("", result.firstError());
            assertEquals(MESSAGES * 5, result.messages());
            assertTrue(result.bytes() < 1500L * result.messages(), result::toString);
        });
    }

    @Test
    void a_server_that_does_not_compress_is_told_from_one_that_does() {
        Simulation.forEachSeed(5, network -> {
            var plain = WebSocketSettings.standard().compresses(false);
            Http.listen(network.on(PORT), request -> WebSocket.accept(request, plain, socket -> socket::send));
            var messages = new FanOutMessages(PLAIN.packed(), 1000, 1, 0, true);
            var failed = assertThrows(IOException.class, () -> load(network, messages, 1));
            assertEquals(
                    "connection 0 cannot be made: the WebSocket on connection 0 does not compress messages",
                    failed.getMessage());
        });
    }

    @Test
    void it_begins_when_all_are_there() {
        Simulation.forEachSeed(20, network -> {
            List<WebSocket> all = new ArrayList<>();
            var waiting = new ArrayList<WebSocket>();
            serve(network, socket -> {
                waiting.add(socket);
                return text -> {
                    for (var each : all) each.send(text);
                    // Only from the next message on.
                    all.addAll(waiting);
                    waiting.clear();
                };
            });
            var messages = new FanOutMessages(handshake(network), 64, 2, 0, true);
            var result = load(network, messages, 4);
            assertEquals("", result.firstError());
            assertEquals(MESSAGES * 4, result.messages());
        });
    }

    @Test
    void a_server_that_sends_nothing_to_all_is_given_up() {
        Simulation.forEachSeed(5, network -> {
            serve(network, socket -> text -> {});
            var settings = settings().connections(2).with(new FanOutMessages(PLAIN, 64, 1, 0, true));
            var failed = assertThrows(IOException.class, () -> run(network, settings));
            assertTrue(
                    String.valueOf(failed.getMessage()).endsWith("its messages do not arrive everywhere within 10 s"));
        });
    }

    @Test
    void slow_readers_are_not_waited_for() {
        Simulation.forEachSeed(10, network -> {
            serve(network, chat(new AtomicInteger(), WebSocket::send));
            var messages = new FanOutMessages(handshake(network), 500, 1, 3, true);
            var result = load(network, messages, 6);
            assertEquals("", result.firstError());
            assertEquals(MESSAGES * 4, result.messages());
        });
    }

    @Test
    void what_a_connection_misses_is_an_error_for_each() {
        Simulation.forEachSeed(20, network -> {
            // The seventh to the ninth: of the third message to three connections.
            serve(network, chat(new AtomicInteger(), (socket, text) -> {}, 6, 9));
            var messages = new FanOutMessages(handshake(network), 64, 1, 0, true);
            var result = run(
                    network, patient().connections(3).depth(2).with(messages).messages(10));
            assertEquals(3, result.errors());
            assertTrue(
                    result.firstError().startsWith("1 messages of sender 0 before 3 did not arrive"), result::toString);
            assertEquals(27, result.messages());
        });
    }

    @Test
    void a_message_that_comes_twice_ends_the_load() {
        Simulation.forEachSeed(10, network -> {
            serve(network, chat(new AtomicInteger(), (socket, text) -> {
                socket.send(text);
                socket.send(text);
            }));
            var messages = new FanOutMessages(handshake(network), 64, 1, 0, true);
            var result = run(network, patient().connections(2).with(messages).messages(10));
            assertTrue(result.firstError().startsWith("message 0 of sender 0 came twice, or late"), result::toString);
        });
    }

    @Test
    void a_message_to_all_has_room_for_its_mark() {
        var refused = assertThrows(IllegalArgumentException.class, () -> new FanOutMessages(PLAIN, 27, 1, 0, true));
        assertTrue(String.valueOf(refused.getMessage()).contains("has 28 to 1048576"), refused::toString);
        var mark = new FanOutMark(-5, 999, 0xabcdef);
        var bytes = new byte[FanOutMark.BYTES];
        mark.write(bytes);
        assertEquals(
                mark,
                new FanOutMark(FanOutMark.startedNanos(bytes), FanOutMark.sender(bytes), FanOutMark.number(bytes)));
    }

    @Test
    void fields_of_the_handshake_are_refused() {
        var refused = assertThrows(IllegalArgumentException.class, () -> PLAIN.header("Sec-WebSocket-Key", "a"));
        assertEquals("Sec-WebSocket-Key belongs to the handshake of a WebSocket: leave it out", refused.getMessage());
    }

    // The server.

    private static void serve(Simulation network, Function<WebSocket, WebSocketHandler> handler) {
        HttpHandler site = request -> WebSocket.accept(request, handler::apply);
        Http.listen(network.on(PORT), site);
    }

    private static Function<WebSocket, WebSocketHandler> chat(AtomicInteger sent, BiConsumer<WebSocket, String> send) {
        return chat(sent, send, 0, Integer.MAX_VALUE);
    }

    /// @param otherwise for the deliveries from this one to that one; others are sent
    private static Function<WebSocket, WebSocketHandler> chat(
            AtomicInteger sent, BiConsumer<WebSocket, String> otherwise, int from, int to) {
        List<WebSocket> all = new ArrayList<>();
        return socket -> {
            all.add(socket);
            return text -> {
                for (var each : all) {
                    boolean isProbe = text.startsWith("ffff", 16);
                    int number = isProbe ? -1 : sent.getAndIncrement();
                    if (number >= from && number < to) otherwise.accept(each, text);
                    else each.send(text);
                }
            };
        };
    }

    // The load.

    private static WsHandshake handshake(Simulation network) {
        return network.random(2) == 0 ? PLAIN : PLAIN.overHttp2("http");
    }

    private static LoadSettings patient() {
        return settings().patience(Duration.ofHours(10));
    }

    private static LoadResult load(Simulation network, LoadMessages messages) throws Exception {
        return load(network, messages, 1 + network.random(5));
    }

    private static LoadResult load(Simulation network, LoadMessages messages, int connections) throws Exception {
        var settings = patient().connections(connections);
        if (network.random(2) == 0) settings = settings.rate(500 + network.random(100_000));
        return run(
                network, settings.depth(1 + network.random(20)).with(messages).messages(MESSAGES));
    }

    private static LoadResult run(Simulation network, LoadSettings settings) throws Exception {
        return new SimulatedLoad(network, settings).result();
    }
}
