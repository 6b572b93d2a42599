package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Input;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.server.Http;
import io.millrace.loop.CoreGuards;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers that take too much: each guard acts at its limit, counts, and leaves others alone.
class HttpGuardsTest {
    private static final int PORT = 80;

    static Stream<Dispatch> everywhere() {
        return Stream.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_head_that_comes_byte_by_byte_is_given_up_in_time(Dispatch dispatch) {
        try (var network = new Simulation(1);
                var server = serve(network, dispatch, HttpLimits.standard())) {
            long before = HttpGuards.HEAD_TIMEOUT.count();
            var slow = network.connect(PORT).send("GET / HT");
            for (int i = 0; i < 9; i++) {
                network.advance(Duration.ofSeconds(1));
                slow.send("TP/1.1\r\nH".substring(i, i + 1));
            }
            assertEquals(1, server.connections());
            network.advance(Duration.ofSeconds(5));
            assertEquals(0, server.connections());
            assertEquals(before + 1, HttpGuards.HEAD_TIMEOUT.count());
        }
    }

    @Test
    void a_connection_without_a_request_is_closed() {
        try (var network = new Simulation(2);
                var server = serve(network, HttpLimits.standard().idleTimeout(Duration.ofSeconds(5)))) {
            long before = HttpGuards.IDLE_TIMEOUT.count();
            network.connect(PORT);
            var served = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            network.advance(Duration.ofSeconds(4));
            served.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            network.advance(Duration.ofSeconds(3));
            assertEquals(1, server.connections());
            network.advance(Duration.ofSeconds(5));
            assertEquals(0, server.connections());
            assertEquals(before + 2, HttpGuards.IDLE_TIMEOUT.count());
        }
    }

    @Test
    void a_peer_that_still_takes_its_response_is_not_idle() {
        var large = "x".repeat(300_000);
        try (var network = new Simulation(2);
                var server = Http.listen(network.on(PORT), _ -> Response.ok(large))) {
            network.bandwidth(2_000).buffers(4 << 10, 4 << 10);
            long before = HttpGuards.IDLE_TIMEOUT.count();
            var peer = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            network.advance(Duration.ofSeconds(160));
            assertTrue(peer.received().endsWith(large));
            assertEquals(before, HttpGuards.IDLE_TIMEOUT.count());
            network.advance(Duration.ofMinutes(2));
            assertEquals(before + 1, HttpGuards.IDLE_TIMEOUT.count());
            assertEquals(0, server.connections());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_body_that_hardly_arrives_is_given_up(Dispatch dispatch) {
        try (var network = new Simulation(3);
                var server = serve(network, dispatch, HttpLimits.standard().bodyBytesPerSecond(100))) {
            long before = HttpGuards.BODY_RATE.count();
            var slow = network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
            var steady = network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
            for (int i = 0; i < 30; i++) {
                slow.send("x");
                steady.send("x".repeat(200));
                network.advance(Duration.ofSeconds(1));
            }
            assertEquals(1, server.connections());
            assertFalse(slow.isOpen());
            assertEquals(before + 1, HttpGuards.BODY_RATE.count());
        }
    }

    /// The peer has sent what it should; that somebody waits for more of it is nothing against it.
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 40000", "Transfer-Encoding: chunked"})
    void a_body_is_not_slow_when_its_reader_leaves_it_for_later(String framing) {
        HttpHandler app = request -> Response.reading(new Several(40_000));
        var limits = HttpLimits.standard().bodyBytesPerSecond(1_000);
        try (var network = new Simulation(9);
                var _ = Http.listen(network.on(PORT), HttpSettings.standard().limits(limits), app)) {
            var peer = network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n");
            var part = "x".repeat(2_000);
            boolean isChunked = framing.endsWith("chunked");
            for (int i = 0; i < 20; i++) {
                peer.send(isChunked ? "7d0\r\n" + part + "\r\n" : part);
                network.advance(Duration.ofSeconds(1));
            }
            if (isChunked) peer.send("0\r\n\r\n");
            network.run();
            assertTrue(peer.received().contains("200 OK"), peer::received);
        }
    }

    /// Takes so many bytes at once, or none.
    private record Several(int bytes) implements BodyReader {
        @Override
        public void onBody(Input part) {
            if (part.remaining() >= bytes) part.skip(bytes);
        }

        @Override
        public Response onEnd() {
            return Response.ok("all");
        }
    }

    @Test
    void a_peer_that_does_not_take_its_response_is_given_up() {
        try (var network = new Simulation(5)) {
            long before = CoreGuards.WRITE_TIMEOUT.count();
            var zeros = new byte[10_000];
            HttpHandler endless = request -> Response.stream(200, out -> {
                out.write(zeros, 0, zeros.length);
                return true;
            });
            try (var server = Http.listen(network.on(PORT).writeTimeout(Duration.ofSeconds(20)), endless)) {
                network.connect(PORT).pause().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofSeconds(15));
                assertEquals(1, server.connections());
                network.advance(Duration.ofSeconds(30));
                assertEquals(0, server.connections());
                assertEquals(before + 1, CoreGuards.WRITE_TIMEOUT.count());
            }
        }
    }

    @Test
    void the_beginning_of_a_body_holds_little_memory() {
        try (var network = new Simulation(6);
                var server = serve(network, HttpLimits.standard())) {
            for (int i = 0; i < 500; i++) {
                network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx");
            }
            network.advance(Duration.ofSeconds(1));
            assertEquals(500, server.connections());
            // As large slabs these bytes would be more than there is, and nobody else would be let in.
            assertServed(network);
        }
    }

    @Test
    void while_memory_is_tight_a_body_that_has_much_of_it_and_no_end_is_refused() {
        try (var network = new Simulation(7);
                var server = serve(network, HttpLimits.standard())) {
            long before = CoreGuards.SLABS.count();
            var part = "x".repeat(60_000);
            for (int i = 0; i < 400; i++) {
                network.connect(PORT).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + part);
                network.advance(Duration.ofMillis(10));
            }
            assertTrue(server.connections() < 400, () -> server.connections() + " connections");
            assertTrue(CoreGuards.SLABS.count() > before);
            assertServed(network);
        }
    }

    /// What it holds is given back when it is answered.
    @Test
    void while_memory_is_tight_a_body_that_comes_to_its_end_is_answered() {
        try (var network = new Simulation(7);
                var _ = serve(network, HttpLimits.standard())) {
            var head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20001\r\n\r\n";
            var complete = network.connect(PORT).send(head + "x".repeat(20_000));
            network.advance(Duration.ofMillis(10));
            for (int i = 0; i < 400; i++) {
                network.connect(PORT).send(head + "x".repeat(16_000));
                network.advance(Duration.ofMillis(10));
            }
            var endless = network.connect(PORT).send(head + "x".repeat(20_000));
            network.advance(Duration.ofMillis(10));
            assertTrue(endless.received().contains(" 503 "), () -> "memory is not tight: " + endless.received());
            complete.send("x");
            network.advance(Duration.ofMillis(10));
            assertTrue(complete.received().contains(" 200 "), complete::received);
        }
    }

    @Test
    void peers_that_read_nothing_leave_memory_for_others() {
        var part = new byte[4096];
        HttpHandler app = request -> request.path().equals("/")
                ? Response.ok("fine")
                : Response.stream(200, out -> {
                    out.write(part, 0, part.length);
                    return true;
                });
        try (var network = new Simulation(8);
                var server = Http.listen(network.on(PORT), app)) {
            for (int i = 0; i < 500; i++) {
                network.connect(PORT).pause().send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofMillis(10));
            }
            assertEquals(500, server.connections());
            assertServed(network);
        }
    }

    private static void assertServed(Simulation network) {
        var peer = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        network.advance(Duration.ofSeconds(1));
        assertTrue(peer.received().startsWith("HTTP/1.1 200 "), peer::received);
    }

    @Test
    void each_limit_of_a_head_has_its_own_counter() {
        try (var network = new Simulation(4);
                var _ = serve(network, HttpLimits.standard().fields(5))) {
            long lines = HttpGuards.REQUEST_LINE.count();
            long heads = HttpGuards.HEAD.count();
            long fields = HttpGuards.FIELDS.count();
            assertRefused(network, 414, "GET /" + "x".repeat(9000) + " HTTP/1.1\r\n");
            assertRefused(network, 431, "GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(17_000));
            assertRefused(network, 431, "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(10));
            assertEquals(lines + 1, HttpGuards.REQUEST_LINE.count());
            assertEquals(heads + 1, HttpGuards.HEAD.count());
            assertEquals(fields + 1, HttpGuards.FIELDS.count());
        }
    }

    private static void assertRefused(Simulation network, int status, String request) {
        var peer = network.connect(PORT).send(request);
        network.advance(Duration.ofSeconds(5));
        assertTrue(peer.received().startsWith("HTTP/1.1 " + status + " "), peer::received);
        assertTrue(peer.isEnded());
    }

    private static Server serve(Simulation network, HttpLimits limits) {
        return serve(network, Dispatch.loop(), limits);
    }

    private static Server serve(Simulation network, Dispatch dispatch, HttpLimits limits) {
        return AnyDispatch.serve(network.on(PORT), dispatch, limits, Http.whole(1 << 20, _ -> Response.ok("fine")));
    }

    @ParameterizedTest
    @EnumSource
    void one_address_may_have_only_so_many_connections(Serving.Kind kind) throws IOException {
        try (var serving = kind.serve(HttpLimits.standard().connectionsPerAddress(2), request -> Response.ok("fine"));
                var first = serving.connect()) {
            assertEquals(200, first.get("/").read().status());
            try (var second = serving.connect()) {
                assertEquals(200, second.get("/").read().status());
                try (var third = serving.connect()) {
                    assertThrows(IOException.class, () -> third.get("/").read());
                }
            }
            // It is gone when its end has been seen, which it is before the next request.
            assertServedAgain(serving);
        }
    }

    private static void assertServedAgain(Serving serving) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            try (var again = serving.connect()) {
                if (again.get("/").read().status() == 200) return;
            } catch (IOException _) {
                // The one before is not gone yet.
            }
        }
        throw new AssertionError("never served again");
    }
}
