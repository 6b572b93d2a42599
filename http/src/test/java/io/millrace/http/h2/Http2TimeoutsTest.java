package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.CountedBody;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.net.Guard;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a peer of HTTP/2 may take its time for, in virtual time.
class Http2TimeoutsTest {
    private static final int PORT = 80;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final HttpHandler HELLO = request -> Response.ok("hello");

    static Stream<Dispatch> everywhere() {
        return Stream.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    private static Server serve(Listen on, Dispatch dispatch, HttpHandler app) {
        return AnyDispatch.serve(on, dispatch, HttpLimits.standard(), app);
    }

    /// The guard acts once while this runs.
    private static void assertActs(Guard guard, Runnable runs) {
        long before = guard.count();
        runs.run();
        assertEquals(before + 1, guard.count(), guard::toString);
    }

    /// A peer that has room for all of a large response.
    private static SimulatedHttp2Peer onSlowLine(Simulation network, int bytesPerSecond, int bufferBytes) {
        network.bandwidth(bytesPerSecond).buffers(bufferBytes, bufferBytes);
        var peer = SimulatedHttp2Peer.connect(network, PORT, 8 << 20).settle();
        peer.got.more(0, 8 << 20);
        peer.flush();
        return peer;
    }

    // Heads.

    private static void assertGivenUp(byte[] beginning) {
        try (var network = new Simulation(1);
                var server = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            assertActs(HttpGuards.HEAD_TIMEOUT, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT).settle();
                peer.send(beginning);
                peer.advance(Duration.ofSeconds(9));
                assertEquals(1, server.connections());
                peer.advance(Duration.ofSeconds(3));
                assertEquals(0, server.connections());
                assertEquals(Http2Codes.NO_ERROR, peer.got.goAwayCode);
            });
        }
    }

    @Test
    void a_frame_that_does_not_come_to_its_end_is_given_up() {
        var whole = new SentFrames().get(1, "/").toBytes();
        assertGivenUp(Arrays.copyOf(whole, 3));
        assertGivenUp(Arrays.copyOf(whole, whole.length - 1));
    }

    @Test
    void fields_whose_end_does_not_come_are_given_up() {
        var fields = SentFrames.fields(SentFrames.request("GET", "/"));
        assertGivenUp(new SentFrames().frame(Http2Codes.HEADERS, 1, 1, fields).toBytes());
    }

    @Test
    void fields_that_come_bit_by_bit_are_given_up_in_time() {
        try (var network = new Simulation(1);
                var server = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            assertActs(HttpGuards.HEAD_TIMEOUT, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT).settle();
                peer.send(new SentFrames().frame(Http2Codes.HEADERS, 1, 1));
                for (int i = 0; i < 9; i++) {
                    peer.advance(SECOND);
                    peer.send(new SentFrames().frame(Http2Codes.CONTINUATION, 0, 1, (byte) 0x82));
                }
                assertEquals(1, server.connections());
                peer.advance(Duration.ofSeconds(3));
                assertEquals(0, server.connections());
            });
        }
    }

    @Test
    void a_preface_that_does_not_come_to_its_end_is_given_up() {
        try (var network = new Simulation(1);
                var server = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            network.connect(PORT).send(Http2Codes.PREFACE.substring(0, 20));
            network.advance(Duration.ofSeconds(12));
            assertEquals(0, server.connections());
        }
    }

    /// Its rest waits in the kernel while the peer takes the response of another stream.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_head_is_not_late_while_the_server_does_not_receive(Dispatch dispatch) {
        var large = "x".repeat(3_000_000);
        HttpHandler app = request -> Response.ok(request.path().equals("/large") ? large : "hello");
        try (var network = new Simulation(3);
                var _ = serve(network.on(PORT), dispatch, app)) {
            var peer = onSlowLine(network, 100_000, 64 << 10);
            int first = peer.nextId();
            int second = peer.nextId();
            var both = new SentFrames().get(first, "/large").get(second, "/").toBytes();
            peer.send(Arrays.copyOf(both, both.length - 5));
            network.advance(Duration.ofMillis(100));
            peer.send(Arrays.copyOfRange(both, both.length - 5, both.length));
            network.advance(Duration.ofSeconds(40));
            peer.settle();
            assertEquals(large, peer.stream(first).text());
            assertEquals("hello", peer.stream(second).text());
        }
    }

    // Idle connections.

    @Test
    void a_connection_without_a_request_is_closed() {
        try (var network = new Simulation(2);
                var server = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            assertActs(HttpGuards.IDLE_TIMEOUT, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT);
                peer.advance(Duration.ofSeconds(50));
                int id = peer.get("/");
                peer.advance(Duration.ofSeconds(50));
                assertEquals("hello", peer.stream(id).text());
                assertEquals(1, server.connections());
                peer.advance(Duration.ofSeconds(15));
                assertEquals(0, server.connections());
                assertEquals(Http2Codes.NO_ERROR, peer.got.goAwayCode);
                assertEquals(id, peer.got.goAwayLastId);
            });
        }
    }

    @Test
    void frames_without_requests_do_not_keep_a_connection() {
        try (var network = new Simulation(2);
                var server = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT).settle();
            var half = new SentFrames().ping("12345678").toBytes();
            peer.send(Arrays.copyOf(half, 5));
            // A minute, and half of one in which it lingers (close.linger).
            for (int i = 0; i < 100; i++) {
                // Each second a PING ends and the next one begins.
                if (server.connections() > 0)
                    peer.send(Arrays.copyOfRange(half, 5, 17)).send(Arrays.copyOf(half, 5));
                peer.advance(SECOND);
            }
            assertEquals(0, server.connections());
            assertEquals(Http2Codes.NO_ERROR, peer.got.goAwayCode);
        }
    }

    @Test
    void a_connection_whose_request_takes_long_is_not_idle() {
        var late = new CompletableFuture<Response>();
        try (var network = new Simulation(2);
                var server = serve(network.on(PORT), Dispatch.loop(), _ -> Response.later(late))) {
            var peer = SimulatedHttp2Peer.connect(network, PORT);
            int id = peer.get("/");
            peer.advance(Duration.ofMinutes(10));
            assertEquals(1, server.connections());
            var _ = network.loops().next().after(SECOND, () -> late.complete(Response.ok("late")));
            peer.advance(Duration.ofSeconds(2));
            assertEquals("late", peer.stream(id).text());
        }
    }

    @Test
    void a_peer_that_still_takes_its_response_is_not_idle() {
        var large = "x".repeat(300_000);
        try (var network = new Simulation(2);
                var server = serve(network.on(PORT), Dispatch.loop(), _ -> Response.ok(large))) {
            var peer = onSlowLine(network, 2_000, 4 << 10);
            int id = peer.get("/");
            long before = HttpGuards.IDLE_TIMEOUT.count();
            network.advance(Duration.ofSeconds(160));
            peer.pump();
            assertEquals(large, peer.stream(id).text());
            assertEquals(before, HttpGuards.IDLE_TIMEOUT.count());
            network.advance(Duration.ofMinutes(2));
            assertEquals(before + 1, HttpGuards.IDLE_TIMEOUT.count());
            assertEquals(0, server.connections());
        }
    }

    // Bodies.

    /// What the peer has sent waits in the kernel while it takes the response of another stream.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_is_not_slow_while_the_server_does_not_receive(Dispatch dispatch) {
        var large = "x".repeat(5_000_000);
        HttpHandler app =
                request -> request.method().equals("GET") ? Response.ok(large) : Response.reading(new CountedBody());
        try (var network = new Simulation(3);
                var _ = serve(network.on(PORT), dispatch, app)) {
            var peer = onSlowLine(network, 100_000, 64 << 10);
            int slow = peer.post("/");
            int other = peer.get("/");
            for (int i = 0; i < 60; i++) {
                peer.send(new SentFrames().data(slow, i == 59, new byte[1000]));
                network.advance(SECOND);
                peer.pump();
            }
            peer.settle();
            assertEquals(large, peer.stream(other).text());
            assertEquals("60000", peer.stream(slow).text());
        }
    }

    /// Whose frames seldom end where a packet does.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_may_take_longer_than_a_head(Dispatch dispatch) {
        try (var network = new Simulation(3);
                var _ = serve(network.on(PORT), dispatch, request -> Response.reading(new CountedBody()))) {
            var peer = SimulatedHttp2Peer.connect(network, PORT).settle();
            int id = peer.post("/");
            var frame = new SentFrames().data(id, false, new byte[1000]).toBytes();
            peer.send(Arrays.copyOf(frame, 500));
            for (int i = 0; i < 30; i++) {
                peer.send(Arrays.copyOfRange(frame, 500, frame.length)).send(Arrays.copyOf(frame, 500));
                peer.advance(SECOND);
            }
            peer.send(Arrays.copyOfRange(frame, 500, frame.length));
            peer.send(new SentFrames().data(id, true));
            peer.settle();
            assertEquals("31000", peer.stream(id).text());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_that_hardly_arrives_is_given_up_and_others_go_on(Dispatch dispatch) {
        try (var network = new Simulation(3);
                var server = serve(network.on(PORT), dispatch, request -> Response.reading(new CountedBody()))) {
            assertActs(HttpGuards.BODY_RATE, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT);
                int slow = peer.post("/");
                int steady = peer.post("/");
                for (int i = 0; i < 30; i++) {
                    if (!peer.stream(slow).isOver()) peer.send(new SentFrames().data(slow, false, "x"));
                    peer.send(new SentFrames().data(steady, false, "x".repeat(400)));
                    peer.advance(SECOND);
                }
                assertTrue(peer.stream(slow).isOver(), peer.got::toString);
                assertFalse(peer.stream(steady).isOver(), peer.got::toString);
                peer.send(new SentFrames().data(steady, true));
                peer.settle();
                assertEquals("12000", peer.stream(steady).text());
                assertEquals(1, server.connections());
            });
        }
    }

    /// Its bytes are behind those of the other one, which come as fast as both have to together.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_that_waits_for_another_one_is_not_slow(Dispatch dispatch) {
        try (var network = new Simulation(3);
                var _ = serve(network.on(PORT), dispatch, request -> Response.reading(new CountedBody()))) {
            long before = HttpGuards.BODY_RATE.count();
            var peer = SimulatedHttp2Peer.connect(network, PORT);
            int first = peer.post("/");
            int second = peer.post("/");
            for (int i = 0; i < 30; i++) {
                peer.send(new SentFrames().data(first, false, "x".repeat(500)));
                peer.advance(SECOND);
            }
            peer.send(new SentFrames().data(second, true, "abc")).settle();
            assertEquals("3", peer.stream(second).text());
            assertEquals(before, HttpGuards.BODY_RATE.count());
        }
    }

    /// A socket that never reads what came before them would hold its stream for ever.
    @Test
    void behind_an_end_and_a_reset_there_is_the_time_of_a_close_to_read() {
        try (var network = new Simulation(4)) {
            var closed = new ArrayList<Integer>();
            HttpHandler app = request -> WebSocket.accept(request, socket -> {
                socket.pause();
                return new WebSocketHandler() {
                    @Override
                    public void onText(String text) {}

                    @Override
                    public void onClose(int code, String reason) {
                        closed.add(code);
                    }
                };
            });
            try (var _ = serve(network.on(PORT), Dispatch.loop(), app)) {
                var peer = SimulatedHttp2Peer.connect(network, PORT);
                int id = peer.nextId();
                peer.send(new SentFrames().headers(id, false, SentFrames.websocket("/")));
                peer.advance(SECOND);
                assertEquals(200, peer.stream(id).status);
                peer.send(new SentFrames().data(id, true, (byte) 0x81).reset(id, Http2Codes.NO_ERROR));
                peer.advance(Duration.ofSeconds(55));
                assertEquals(List.of(), closed);
                peer.advance(Duration.ofSeconds(10));
                assertEquals(List.of(1006), closed);
            }
        }
    }

    // Windows.

    private static final HttpHandler LARGE = request -> Response.ok("x".repeat(300_000));

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_stream_whose_window_stays_shut_is_reset(Dispatch dispatch) {
        try (var network = new Simulation(4);
                var server = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), dispatch, LARGE)) {
            assertActs(HttpGuards.HTTP2_WINDOW, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1000);
                peer.got.givesWindow = false;
                int id = peer.get("/");
                peer.advance(Duration.ofSeconds(15));
                assertFalse(peer.stream(id).isOver(), peer.got::toString);
                peer.advance(Duration.ofSeconds(30));
                assertEquals(Http2Codes.CANCEL, peer.stream(id).resetCode);
                assertEquals(1, server.connections());
                peer.advance(Duration.ofSeconds(70));
                assertEquals(0, server.connections());
            });
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_window_that_opens_by_a_byte_now_and_then_is_as_good_as_shut(Dispatch dispatch) {
        try (var network = new Simulation(4);
                var _ = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), dispatch, LARGE)) {
            assertActs(HttpGuards.HTTP2_WINDOW, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1000);
                peer.got.givesWindow = false;
                int id = peer.get("/");
                for (int i = 0; i < 50 && !peer.stream(id).isOver(); i++) {
                    peer.got.more(id, 1);
                    peer.flush();
                    peer.advance(SECOND);
                }
                assertEquals(Http2Codes.CANCEL, peer.stream(id).resetCode);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_connection_whose_window_stays_shut_is_closed(Dispatch dispatch) {
        try (var network = new Simulation(4);
                var server = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), dispatch, LARGE)) {
            assertActs(HttpGuards.HTTP2_WINDOW, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1 << 20);
                peer.got.givesWindow = false;
                peer.get("/");
                peer.advance(Duration.ofSeconds(15));
                assertEquals(1, server.connections());
                peer.advance(Duration.ofSeconds(30));
                assertEquals(0, server.connections());
            });
        }
    }

    @Test
    void windows_that_are_shut_in_turn_are_as_good_as_one_that_stays_shut() {
        try (var network = new Simulation(4);
                var _ = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), Dispatch.loop(), LARGE)) {
            assertActs(HttpGuards.HTTP2_WINDOW, () -> {
                var peer = SimulatedHttp2Peer.connect(network, PORT, 1 << 20);
                peer.got.givesWindow = false;
                int id = peer.get("/");
                for (int i = 0; i < 4 && !peer.stream(id).isOver(); i++) {
                    peer.advance(Duration.ofSeconds(15));
                    int windowBytes = i % 2 == 0 ? 0 : 1 << 20;
                    if (windowBytes == 0) peer.got.more(0, 100);
                    peer.got.resized(windowBytes);
                    peer.send(new SentFrames().settings(Http2Codes.WINDOW, windowBytes));
                    peer.advance(Duration.ofSeconds(5));
                }
                assertEquals(Http2Codes.CANCEL, peer.stream(id).resetCode);
            });
        }
    }

    @Test
    void a_response_that_is_taken_slowly_is_sent() {
        try (var network = new Simulation(4);
                var _ = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), Dispatch.loop(), LARGE)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT, 1000);
            peer.got.givesWindow = false;
            int id = peer.get("/");
            for (int i = 0; i < 200; i++) {
                peer.got.more(id, 1000);
                peer.got.more(0, 1000);
                peer.flush();
                peer.advance(SECOND);
            }
            assertEquals(200_000, peer.stream(id).bodyBytes());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_peer_that_reads_nothing_is_given_up(Dispatch dispatch) {
        try (var network = new Simulation(5);
                var server = serve(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), dispatch, LARGE)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT, 1 << 20).settle();
            peer.got.more(0, 1 << 24);
            peer.flush();
            network.run();
            peer.peer.pause();
            var all = new SentFrames();
            for (int i = 0; i < 50; i++) all.get(peer.nextId(), "/");
            peer.send(all);
            network.advance(Duration.ofSeconds(15));
            assertEquals(1, server.connections());
            network.advance(Duration.ofSeconds(60));
            assertEquals(0, server.connections());
        }
    }

    /// Three thousand small ones, every two milliseconds.
    private static Response manyEvents(Simulation network) {
        return Response.events(stream -> {
            var loop = network.loops().next();
            var left = new int[] {3_000};
            new Runnable() {
                @Override
                public void run() {
                    if (stream.send("x") && left[0]-- > 0) {
                        var _ = loop.after(Duration.ofMillis(2), this);
                    }
                }
            }.run();
        });
    }

    /// Two windows grow for each event.
    @Test
    void a_peer_that_takes_small_events_for_long_is_no_attacker() {
        try (var network = new Simulation(6);
                var _ = serve(network.on(PORT), Dispatch.loop(), request -> manyEvents(network))) {
            var peer = SimulatedHttp2Peer.connect(network, PORT);
            int id = peer.get("/");
            for (int i = 0; i < 10; i++) peer.advance(SECOND);
            assertEquals(GotStream.NO_RESET, peer.got.goAwayCode);
            assertTrue(peer.stream(id).bodyBytes() > 3_000 * "data: x".length(), peer.got::toString);
        }
    }

    /// As clients do that estimate how much may be under way (gRPC's): a PING for what has arrived.
    @Test
    void a_peer_that_measures_its_way_with_each_event_is_no_attacker() {
        try (var network = new Simulation(6);
                var _ = serve(network.on(PORT), Dispatch.loop(), request -> manyEvents(network))) {
            var peer = SimulatedHttp2Peer.connect(network, PORT);
            int id = peer.get("/");
            long before = 0;
            for (int i = 0; i < 5_000; i++) {
                network.advance(Duration.ofMillis(2));
                peer.pump();
                if (peer.stream(id).bodyBytes() > before && peer.peer.isOpen())
                    peer.send(new SentFrames().ping("measured"));
                before = peer.stream(id).bodyBytes();
            }
            assertEquals(GotStream.NO_RESET, peer.got.goAwayCode);
            assertTrue(peer.stream(id).bodyBytes() > 3_000 * "data: x".length(), peer.got::toString);
        }
    }

    /// The server reads none of them.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_that_waits_for_the_window_of_others_is_not_slow(Dispatch dispatch) {
        var late = new CompletableFuture<Response>();
        HttpHandler app =
                request -> request.path().equals("/late") ? Response.later(late) : Response.reading(new CountedBody());
        try (var network = new Simulation(3);
                var _ = serve(network.on(PORT), dispatch, app)) {
            long before = HttpGuards.BODY_RATE.count();
            var peer = SimulatedHttp2Peer.connect(network, PORT);
            int reading = peer.post("/");
            var others = new java.util.ArrayList<Integer>();
            while (peer.got.window() > 0) {
                int id = peer.post("/late");
                others.add(id);
                for (int room = peer.got.room(id); room > 0; room = peer.got.room(id)) {
                    peer.got.sent(id, room);
                    peer.send(new SentFrames().data(id, false, new byte[room]));
                }
                peer.settle();
            }
            peer.advance(Duration.ofSeconds(40));
            assertEquals(before, HttpGuards.BODY_RATE.count());
            for (int id : others) peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            peer.settle();
            peer.send(new SentFrames().data(reading, true, "abc")).settle();
            assertEquals("3", peer.stream(reading).text(), peer.got::toString);
        }
    }

    /// As readers do that know how much they want next: a length, and then as much.
    @ParameterizedTest
    @MethodSource("everywhere")
    void a_window_that_opens_by_what_its_reader_asks_for_is_used(Dispatch dispatch) {
        try (var network = new Simulation(4);
                var _ = serve(network.on(PORT), dispatch, LARGE)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT, 0);
            peer.got.givesWindow = false;
            int id = peer.get("/");
            peer.settle();
            long asked = 0;
            for (int i = 0; i < 20; i++) {
                int more = i % 2 == 0 ? 5 : 1000;
                asked += more;
                peer.got.more(id, more);
                peer.flush();
                peer.advance(SECOND);
                assertEquals(asked, peer.stream(id).bodyBytes());
            }
        }
    }

    @Test
    void a_ping_is_answered_at_any_time() {
        try (var network = new Simulation(6);
                var _ = serve(network.on(PORT), Dispatch.loop(), HELLO)) {
            var peer = SimulatedHttp2Peer.connect(network, PORT).settle();
            peer.send(new SentFrames().ping("12345678")).settle();
            peer.send(new SentFrames().post(1, "/").ping("abcdefgh")).settle();
            assertEquals(java.util.List.of("12345678", "abcdefgh"), peer.got.pongs);
        }
    }
}
