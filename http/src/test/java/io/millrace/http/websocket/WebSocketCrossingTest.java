package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.codec.Group;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The end of a WebSocket that crosses something else, in virtual time: a full queue, a sender that waits, a
/// pause, a join, another close.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebSocketCrossingTest {
    private static final WebSocketSettings PLAIN =
            WebSocketSettings.standard().compresses(false).queueBytes(64 << 20);
    private static final byte[] CLOSE_1000 = {3, -24};
    private static final String LONG = "x".repeat(10_000);

    private final List<String> events = new ArrayList<>();

    static List<Dispatch> everywhere() {
        return List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    private static Server serve(Simulation network, Dispatch dispatch, HttpHandler app) {
        return AnyDispatch.serve(network.on(SimulatedSocket.PORT), dispatch, HttpLimits.standard(), app);
    }

    private static Server accept(
            Simulation network, Dispatch dispatch, WebSocketSettings settings, WebSocketOpener opener) {
        return serve(network, dispatch, request -> WebSocket.accept(request, settings, opener));
    }

    private static HttpClient client(Simulation network, HttpVersion version) {
        return HttpClient.of(ClientSettings.standard().loops(network.loops()).version(version));
    }

    private static Request request() {
        return request("/");
    }

    private static Request request(String path) {
        var host = Simulation.address(SimulatedSocket.PORT).getHostString();
        return Request.get("http://" + host + ":" + SimulatedSocket.PORT + path);
    }

    /// Keeps what happens.
    private class Kept implements WebSocketHandler {
        @Override
        public void onText(String text) {
            events.add(text);
        }

        @Override
        public void onWritable() {
            events.add("writable");
        }

        @Override
        public void onClose(int code, String reason) {
            events.add("close " + code);
        }
    }

    // Senders.

    @ParameterizedTest
    @CsvSource({"HTTP_1_1, false", "HTTP_1_1, true", "HTTP_2, false", "HTTP_2, true"})
    void a_session_that_waits_for_room_ends_when_the_peer_closes(HttpVersion version, boolean compresses) {
        var settings = WebSocketSettings.standard().compresses(compresses);
        HttpHandler app = request -> WebSocket.serve(request, settings, socket -> {
            try {
                while (true) socket.send(LONG);
            } catch (WebSocketClosed e) {
                events.add("closed " + e.code());
            }
        });
        try (var network = new Simulation(1);
                var _ = serve(network, Dispatch.loop(), app);
                var client = client(network, version)) {
            var sockets = new ArrayList<WebSocket>();
            var _ = WebSocket.connect(client, request(), socket -> {
                sockets.add(socket);
                socket.pause();
                return _ -> {};
            });
            network.advance(Duration.ofSeconds(1));
            sockets.getFirst().close();
            network.advance(Duration.ofSeconds(20));
            assertEquals(1, events.size(), events::toString);
        }
    }

    // Closes.

    /// Its loop has slept for longer than a close frame may take.
    @Test
    void another_thread_closes_in_order_after_a_quiet_time() {
        var settings = WebSocketSettings.standard().idleTimeout(Duration.ZERO).pingAfter(Duration.ZERO);
        var sockets = new ArrayList<WebSocket>();
        try (var network = new Simulation(2);
                var _ = accept(network, Dispatch.loop(), settings, socket -> {
                    sockets.add(socket);
                    return _ -> {};
                })) {
            var socket = SimulatedSocket.ask(network).advance(Duration.ofHours(1));
            sockets.getFirst().send("last");
            sockets.getFirst().close(4000, "bye");
            socket.advance(Duration.ofSeconds(1));
            assertEquals(4000, socket.closeCode("bye"));
            assertTrue(socket.peer.received().contains("last"));
        }
    }

    /// A server says "go", does not read what comes then, and closes; later it reads on.
    private void closes(WebSocketHandler served, WebSocketOpener full) {
        var sockets = new ArrayList<WebSocket>();
        try (var network = new Simulation(3);
                var _ = accept(network, Dispatch.loop(), PLAIN, socket -> {
                    sockets.add(socket);
                    socket.send("go");
                    socket.pause();
                    return served;
                });
                var client = client(network, HttpVersion.HTTP_1_1)) {
            var _ = WebSocket.connect(client, request(), PLAIN, full);
            network.advance(Duration.ofSeconds(1));
            var loop = network.loops().next();
            var _ = loop.after(Duration.ZERO, () -> sockets.getFirst().close());
            network.advance(Duration.ofSeconds(1));
            var _ = loop.after(Duration.ZERO, () -> sockets.getFirst().resume());
            network.advance(Duration.ofSeconds(20));
        }
    }

    @Test
    void closes_that_cross_lose_neither_close_frame() {
        closes(new Kept(), socket -> _ -> {
            for (int i = 0; i < 100; i++) socket.send(LONG);
            socket.close(4001, "mine");
        });
        assertEquals(List.of("close 4001"), events);
    }

    @Test
    void the_end_is_told_once_and_last() {
        closes(_ -> {}, socket -> new Kept() {
            @Override
            public void onText(String text) {
                for (int i = 0; i < 100; i++) socket.send(LONG);
                assertTrue(socket.isFull());
            }
        });
        assertEquals(List.of("close 1000"), events);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_has_thrown_is_told_of_the_end(Dispatch dispatch) {
        try (var network = new Simulation(5);
                var _ = accept(network, dispatch, PLAIN, _ -> new Kept() {
                    @Override
                    public void onText(String text) {
                        events.add(text);
                        throw new IllegalStateException("a test");
                    }
                })) {
            var socket = SimulatedSocket.ask(network).text("one").text("two").advance(Duration.ofSeconds(1));
            socket.text("three").send(0x88, CLOSE_1000).advance(Duration.ofSeconds(1));
            assertEquals(List.of("one", "close 1000"), events);
        }
    }

    // A pause.

    @Test
    void a_socket_that_pauses_when_it_opens_stays_paused() {
        var sockets = new ArrayList<WebSocket>();
        try (var network = new Simulation(6);
                var server = accept(network, Dispatch.loop(), PLAIN, socket -> {
                    sockets.add(socket);
                    socket.pause();
                    return new Kept();
                })) {
            var socket = SimulatedSocket.ask(network);
            for (int i = 0; i < 2000; i++) socket.text("m".repeat(100));
            socket.advance(Duration.ofSeconds(5));
            assertEquals(List.of(), events);
            assertEquals(1, server.connections());
            var _ = network.loops().next().after(Duration.ZERO, sockets.getFirst()::resume);
            socket.advance(Duration.ofSeconds(5));
            assertEquals(2000, events.size());
        }
    }

    // A join.

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_member_that_dies_of_what_it_gets_first_is_none(Dispatch dispatch) {
        var conversions = new AtomicInteger();
        var group = new Group<String>(GroupSettings.standard().history(100));
        for (int i = 0; i < 9; i++) group.broadcast("x".repeat(100_000));
        var settings = WebSocketSettings.standard().queueBytes(1000);
        try (var network = new Simulation(7);
                var _ = accept(network, dispatch, settings, socket -> {
                    var member = socket.as((String text) -> {
                        conversions.incrementAndGet();
                        return text;
                    });
                    group.join(member, Joining.anonymous().last(100));
                    return _ -> {};
                })) {
            SimulatedSocket.ask(network).advance(Duration.ofSeconds(1));
            assertEquals(0, group.size());
            int before = conversions.get();
            assertTrue(before > 0, "it has joined");
            group.broadcast("after");
            network.advance(Duration.ofSeconds(1));
            assertEquals(before, conversions.get());
        }
    }

    // A handshake.

    /// A handler throws its agreement away, or a filter sends something else.
    private static Response forgetful(Request request, WebSocketSettings settings) {
        var _ = WebSocket.accept(request, settings, _ -> _ -> {});
        assertEquals(1, settings.keptWindows().inUse());
        if (request.path().equals("/throws")) throw new HttpError(409, "a test");
        var other = Response.status(409);
        return request.path().equals("/later") ? Response.later(CompletableFuture.completedFuture(other)) : other;
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP_1_1, replaces",
        "HTTP_1_1, throws",
        "HTTP_1_1, later",
        "HTTP_2, replaces",
        "HTTP_2, throws",
        "HTTP_2, later"
    })
    void an_agreement_that_is_not_sent_gives_back_its_window(HttpVersion version, String how) {
        var settings = WebSocketSettings.standard().windows(1);
        try (var network = new Simulation(9);
                var _ = serve(network, Dispatch.loop(), request -> forgetful(request, settings));
                var client = client(network, version)) {
            var keeping = WebSocketSettings.standard().windows(1);
            var asked = WebSocket.connect(client, request("/" + how), keeping, _ -> _ -> {});
            network.advance(Duration.ofSeconds(1));
            assertEquals(
                    409,
                    assertInstanceOf(WebSocketRefused.class, asked.exceptionNow())
                            .status());
            assertEquals(0, settings.keptWindows().inUse());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void who_gives_up_a_handshake_gives_back_its_window(HttpVersion version) {
        var settings = WebSocketSettings.standard().windows(1);
        var never = new CompletableFuture<Response>();
        try (var network = new Simulation(8);
                var _ = serve(network, Dispatch.loop(), _ -> Response.later(never));
                var client = client(network, version)) {
            var asked = WebSocket.connect(client, request(), settings, _ -> _ -> {});
            network.advance(Duration.ofSeconds(1));
            assertEquals(1, settings.keptWindows().inUse());
            asked.cancel(true);
            network.advance(Duration.ofSeconds(1));
            assertEquals(0, settings.keptWindows().inUse());
        }
    }
}
