package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A change to WebSocket passes through the proxy, when the backend agrees and not before.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeTest {
    private static final String ASKING =
            "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String AGREED =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Mine: yes\r\n\r\n";

    /// Agrees, says hello, and sends back what comes.
    private static RawBackend agreeing() throws IOException {
        return new RawBackend(visit -> {
            visit.head();
            visit.send(AGREED + "hello");
            var part = new byte[1000];
            for (int length; (length = visit.in.read(part)) > 0; ) {
                visit.send(new String(part, 0, length, StandardCharsets.ISO_8859_1));
            }
            visit.send("bye");
        });
    }

    @ParameterizedTest
    @EnumSource
    void bytes_go_both_ways_behind_it(Proxying.Kind kind) throws Exception {
        try (var backend = agreeing();
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.send(ASKING + "early ").read();
            assertEquals(101, reply.status());
            assertEquals("websocket", reply.header("Upgrade"));
            assertEquals("yes", reply.header("X-Mine"));
            client.send("late");
            client.socket().shutdownOutput();
            assertEquals("helloearly latebye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_follows_one_that_is_refused_is_the_next_request(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send(ASKING + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("no", client.read().text());
            assertEquals("no", client.read().text());
            assertEquals("GET /chat HTTP/1.1", backend.nextHead().getFirst());
            assertEquals("GET /next HTTP/1.1", backend.nextHead().getFirst());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_change_to_other_protocols_is_not_asked_for(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            client.send(ASKING.replace("websocket", "h2c"));
            assertEquals("ok", client.read().text());
            assertFalse(String.join("\n", backend.nextHead()).contains("pgrade"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_changes_unasked_is_a_bad_one(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering(AGREED);
                var proxy = kind.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.get("/").read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_side_that_leaves_takes_the_other_along(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send(AGREED);
                    visit.awaitEnd();
                });
                var proxy = kind.to(backend.uri())) {
            try (var client = proxy.connect()) {
                assertEquals(101, client.send(ASKING).read().status());
                client.socket().setSoLinger(true, 0);
            }
            backend.awaitClosed();
        }
    }
}
