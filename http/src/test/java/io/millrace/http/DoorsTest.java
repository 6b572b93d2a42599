package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A door says one thing, and what its caller has said stands.
class DoorsTest {
    private static final int PORT = 80;

    private static final HttpHandler WHERE =
            _ -> Response.ok(Thread.currentThread().isVirtual() ? "virtual" : "loop");

    private static String asked(Simulation network) {
        var peer = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        network.advance(Duration.ofSeconds(1));
        return peer.received().substring(peer.received().lastIndexOf('\n') + 1);
    }

    @Test
    void listen_handles_on_the_loop_and_serve_on_virtual_threads() {
        try (var network = new Simulation(1)) {
            try (var _ = Http.listen(network.on(PORT), WHERE)) {
                assertEquals("loop", asked(network));
            }
            try (var _ = Http.serve(network.on(PORT), WHERE)) {
                assertEquals("virtual", asked(network));
            }
        }
    }

    @Test
    void each_refuses_what_is_the_others_and_says_which() {
        var loop = assertThrows(
                IllegalArgumentException.class, () -> Http.serve(Listen.on(0).dispatch(Dispatch.loop()), WHERE));
        assertTrue(String.valueOf(loop.getMessage()).contains("Http.listen"), loop::getMessage);
        for (var dispatch : new Dispatch[] {Dispatch.virtual(), Dispatch.pool(2)}) {
            var other = assertThrows(
                    IllegalArgumentException.class,
                    () -> Http.listen(Listen.on(0).dispatch(dispatch), WHERE));
            assertTrue(String.valueOf(other.getMessage()).contains("Http.serve"), other::getMessage);
        }
    }

    @Test
    void one_that_is_used_for_several_servers_stays_as_it_was() {
        try (var network = new Simulation(2)) {
            var on = network.on(PORT);
            try (var _ = Http.serve(on, WHERE)) {
                assertEquals("virtual", asked(network));
            }
            assertEquals(Optional.empty(), on.dispatch());
            assertEquals(Optional.empty(), on.writeTimeout());
            try (var _ = Http.listen(on, WHERE)) {
                assertEquals("loop", asked(network));
            }
        }
    }

    @Test
    void a_write_timeout_that_was_said_stands() {
        var part = new byte[10_000];
        HttpHandler endless = _ -> Response.stream(200, out -> {
            out.write(part, 0, part.length);
            return true;
        });
        for (var limit : new Duration[] {Duration.ZERO, Duration.ofMinutes(2)}) {
            try (var network = new Simulation(3);
                    var server = Http.listen(network.on(PORT).writeTimeout(limit), endless)) {
                network.connect(PORT).pause().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofSeconds(100));
                assertEquals(1, server.connections());
                network.advance(Duration.ofSeconds(100));
                assertEquals(limit.isZero() ? 1 : 0, server.connections());
            }
        }
    }

    @Test
    void without_one_a_peer_has_a_minute() {
        var part = new byte[10_000];
        try (var network = new Simulation(4);
                var server = Http.serve(
                        network.on(PORT),
                        _ -> Response.stream(200, out -> {
                            out.write(part, 0, part.length);
                            return true;
                        }))) {
            network.connect(PORT).pause().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            network.advance(Duration.ofSeconds(55));
            assertEquals(1, server.connections());
            network.advance(Duration.ofSeconds(20));
            assertEquals(0, server.connections());
        }
    }
}
