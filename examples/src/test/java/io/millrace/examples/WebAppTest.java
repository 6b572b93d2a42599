package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import org.junit.jupiter.api.Test;

class WebAppTest {
    private final WebApp app = new WebApp();

    @Test
    void a_handler_needs_no_server() {
        assertEquals(200, app.handle(Request.get("/")).status());
        assertEquals("Hello, World!", app.handle(Request.get("/")).text());
        assertEquals(
                "{\"greeting\":\"hello, you\"}",
                app.handle(Request.get("/greet?name=you")).text());
        assertThrows(HttpError.class, () -> app.handle(Request.get("/greet")));
    }

    @Test
    void a_network_may_be_as_bad_as_it_likes() {
        Simulation.forEachSeed(100, network -> {
            try (var server = Http.listen(network.on(80), app)) {
                var peer = network.connect(80)
                        .send("GET /numbers?n=1000 HTTP/1.1\r\nHost: a\r\n\r\n")
                        .end();
                network.run();
                assertTrue(peer.received().endsWith("1000\n\r\n0\r\n\r\n"), peer::received);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_body_is_read_as_it_arrives() {
        Simulation.forEachSeed(50, network -> {
            try (var _ = Http.listen(network.on(80), app)) {
                var peer = network.connect(80)
                        .send("POST /checksum HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123456789")
                        .end();
                network.run();
                assertTrue(peer.received().endsWith("\r\n\r\ncbf43926"), peer::received);
            }
        });
    }

    @Test
    void a_request_can_carry_a_body() {
        assertEquals(204, app.handle(Request.post("/tell", Bytes.utf8("hello"))).status());
    }
}
