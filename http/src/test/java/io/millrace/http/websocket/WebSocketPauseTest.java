package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.ws.RawFrame;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopSignal;
import io.millrace.sim.Simulation;
import io.millrace.sim.SimulationSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// WebSockets that close while they are paused, by their handler or because much waits for their session: the answer
/// is behind what nobody wants any more.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebSocketPauseTest {
    private static final WebSocketSettings PLAIN = WebSocketSettings.standard().compresses(false);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MANY = 2_000;
    private static final byte[] CLOSE_1000 = {3, -24};

    private final List<String> events = new ArrayList<>();
    private final long givenUp = HttpGuards.WS_CLOSE.count();

    static List<Dispatch> everywhere() {
        return List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    private static Server serve(Simulation network, Dispatch dispatch, HttpHandler app) {
        return AnyDispatch.serve(network.on(SimulatedSocket.PORT), dispatch, HttpLimits.standard(), app);
    }

    private Server accept(Simulation network, Dispatch dispatch) {
        return serve(
                network, dispatch, request -> WebSocket.accept(request, PLAIN, socket -> new Sated(socket, events)));
    }

    /// All of it arrives at once.
    private static Simulation network() {
        return new Simulation(1, SimulationSettings.standard().threads(1))
                .chunks(1 << 20, 1 << 20)
                .buffers(1 << 20, 1 << 20);
    }

    private static byte[] many() {
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < MANY; i++) all.writeBytes(RawFrame.masked(0x81, "m".getBytes(UTF_8)));
        return all.toByteArray();
    }

    /// Has enough with the first message.
    private record Sated(WebSocket socket, List<String> events) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            events.add(text);
            if (events.size() > 1) return;
            socket.pause();
            socket.close();
        }

        @Override
        public void onClose(int code, String reason) {
            events.add("close " + code);
        }
    }

    private static SimulatedSocket talkative(Simulation network) {
        var socket = SimulatedSocket.ask(network).text("m");
        socket.peer.send(RawFrame.masked(0x81, new byte[100_000])).send(many());
        return socket.advance(SECOND);
    }

    private static void assertClosesInOrder(SimulatedSocket socket, Server server) {
        assertEquals(CloseCode.NORMAL, socket.closeCode(""));
        // Longer than a connection may linger, shorter than a close frame may take.
        socket.send(0x88, CLOSE_1000).advance(SECOND.multipliedBy(2));
        assertEquals(0, server.connections());
        assertFalse(socket.peer.isReset(), socket.peer::toString);
    }

    private void assertNobodyIsBlamed() {
        assertEquals(givenUp, HttpGuards.WS_CLOSE.count());
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_has_paused_and_closes_hears_the_answer_behind_what_it_left(Dispatch dispatch) {
        try (var network = network();
                var server = accept(network, dispatch)) {
            assertClosesInOrder(talkative(network), server);
            assertEquals("close 1000", events.getLast());
            assertNobodyIsBlamed();
        }
    }

    @Test
    void a_session_that_returns_while_much_waits_for_it_closes_in_order() {
        try (var network = network()) {
            var loop = EventLoop.of(network.loops().next());
            var news = new LoopSignal(loop, "what has arrived");
            HttpHandler app = request -> WebSocket.serve(request, PLAIN, socket -> {
                await(news);
                events.add("" + socket.receive());
            });
            try (var server = serve(network, Dispatch.loop(), app)) {
                var socket = talkative(network);
                var _ = loop.after(Duration.ZERO, news::tell);
                assertClosesInOrder(socket.advance(SECOND), server);
                assertEquals(List.of("m"), events);
                assertNobodyIsBlamed();
            }
        }
    }

    private static void await(LoopSignal news) throws IOException {
        try {
            news.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /// As long as a peer that sends nothing.
    @Test
    void a_peer_that_sends_on_in_place_of_the_answer_is_given_up() {
        try (var network = network();
                var server = accept(network, Dispatch.loop())) {
            var socket = talkative(network);
            for (int i = 0; i < 5; i++) socket.text("more").advance(SECOND);
            assertEquals(0, server.connections());
            assertEquals(List.of("m", "close 1006"), events);
            assertEquals(1, HttpGuards.WS_CLOSE.count() - givenUp);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void a_client_that_sends_much_is_answered_in_order(HttpVersion version) {
        try (var network = network();
                var _ = accept(network, Dispatch.loop());
                var client = HttpClient.of(
                        ClientSettings.standard().loops(network.loops()).version(version))) {
            var host = Simulation.address(SimulatedSocket.PORT).getHostString();
            var request = Request.get("http://" + host + ":" + SimulatedSocket.PORT + "/");
            var _ = WebSocket.connect(client, request, PLAIN, socket -> {
                for (int i = 0; i < MANY; i++) socket.send("m");
                return _ -> {};
            });
            network.advance(SECOND.multipliedBy(20));
            assertEquals(List.of("m", "close 1000"), events);
            assertNobodyIsBlamed();
        }
    }
}
