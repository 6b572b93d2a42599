package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.http.RequestListener;
import io.millrace.proxy.upstream.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A change to WebSocket passes through the proxy, when the backend agrees and not before.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeTest {
    /// That of RFC 6455 section 1.3.
    private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

    private static final String ACCEPT = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private static final String ASKING = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade"
            + "\r\nUpgrade: websocket\r\n" + KEY + "Sec-WebSocket-Protocol: chat, superchat\r\n\r\n";
    private static final String CHANGED = "HTTP/1.1 101 Switching Protocols\r\n";
    private static final String AGREED =
            CHANGED + "Connection: Upgrade\r\nUpgrade: websocket\r\n" + ACCEPT + "\r\nX-Mine: yes\r\n\r\n";

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

    /// Fields of an answer with 101, one line each behind a bar.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade|ACCEPT",
                "Connection: Upgrade|Upgrade: h2c|ACCEPT",
                "Connection: Upgrade|Upgrade: websocket, h2c|ACCEPT",
                "Connection: Upgrade|Upgrade: websocket|Upgrade: h2c|ACCEPT",
                "Upgrade: websocket|ACCEPT",
                "Connection: close|Upgrade: websocket|ACCEPT",
                "Connection: Upgrade|Upgrade: websocket",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Accept:",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ==",
                "Connection: Upgrade|Upgrade: websocket|ACCEPT|ACCEPT",
                "Connection: Upgrade|Upgrade: websocket|ACCEPT|Sec-WebSocket-Protocol: mqtt",
                "Connection: Upgrade|Upgrade: websocket|ACCEPT|Sec-WebSocket-Protocol: chat, superchat",
                "Connection: Upgrade|Upgrade: websocket|ACCEPT|Sec-WebSocket-Protocol: Chat",
                "HTTP/1.0 101 Switching Protocols|Connection: Upgrade|Upgrade: websocket|ACCEPT"
            })
    void a_change_that_is_not_the_one_that_was_asked_for_is_a_bad_response(String fields) throws Exception {
        var head = fields.replace("ACCEPT", ACCEPT).replace("|", "\r\n") + "\r\n\r\n";
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send(head.startsWith("HTTP") ? head : CHANGED + head).awaitEnd();
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.send(ASKING).read().status());
            backend.awaitClosed();
            var blamed = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(1, blamed.ended(Outcome.BAD_RESPONSE));
            assertEquals(0, blamed.ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade|Upgrade: websocket|ACCEPT",
                "connection: keep-alive, upgrade|upgrade: WebSocket|ACCEPT|Sec-WebSocket-Protocol: superchat"
            })
    void a_change_that_was_asked_for_is_made(String fields) throws Exception {
        var head = CHANGED + fields.replace("ACCEPT", ACCEPT).replace("|", "\r\n") + "\r\n\r\n";
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send(head + "hello");
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(101, client.send(ASKING).read().status());
            assertEquals("hello", new String(client.readAll(), StandardCharsets.ISO_8859_1));
        }
    }

    /// Nobody could tell whether the answer is the right one.
    @ParameterizedTest
    @ValueSource(strings = {"", KEY + KEY, "Sec-WebSocket-Key:\r\n"})
    void a_request_without_one_key_asks_for_no_change(String keys) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(400, client.send(ASKING.replace(KEY, keys)).read().status());
            var head = String.join("\n", backend.nextHead());
            assertFalse(head.contains("Upgrade"), head);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_counts_as_long_as_it_lives(Proxying.Kind kind) throws Exception {
        var served = new LinkedBlockingQueue<List<Object>>();
        RequestListener told = one -> served.add(
                List.of(one.status(), one.isTunnel(), one.isComplete(), one.requestBytes(), one.responseBytes()));
        var upstream = new AtomicReference<Upstream>();
        try (var backend = agreeing();
                var proxy = kind.serve(Upstream.of(backend.uri()), told, one -> {
                    upstream.set(one);
                    return one;
                });
                var client = proxy.connect()) {
            assertEquals(101, client.send(ASKING + "early ").read().status());
            assertEquals("helloearly ", new String(client.exactly(11), StandardCharsets.ISO_8859_1));
            var counted = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(1, counted.requests().taken());
            assertEquals(1, counted.connections().taken());
            assertEquals(1, counted.answered(1));
            assertEquals(List.of(), List.copyOf(served));
            client.socket().shutdownOutput();
            assertEquals("bye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
            assertEquals(List.of(101, true, true, 6L, 14L), served.poll(20, TimeUnit.SECONDS));
        }
        var counted = upstream.get().backends().orElseThrow().members().getFirst();
        assertEquals(0, counted.requests().taken());
        assertEquals(0, counted.connections().taken());
        assertEquals(1, counted.ended());
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
