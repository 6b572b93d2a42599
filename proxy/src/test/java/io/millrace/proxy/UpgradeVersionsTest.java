package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpVersion;
import io.millrace.http.RequestListener;
import io.millrace.proxy.upstream.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// WebSocket through proxies that speak HTTP/2 with each other, and HTTP/1.1 in front and behind: so each pair of
/// versions passes it on (RFC 8441).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeVersionsTest {
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private static final int LARGE = 2_000_000;

    /// Proxies one behind the other, the first one in front.
    private record Line(List<Proxying> proxies) implements AutoCloseable {
        /// All but the last speak HTTP/2 with the next.
        static Line of(Proxying.Kind kind, int count, String uri) {
            return of(kind, count, uri, RequestListener.NOBODY);
        }

        static Line of(Proxying.Kind kind, int count, String uri, RequestListener ofFirst) {
            var proxies = new ArrayList<Proxying>();
            var next = Upstream.of(uri);
            for (int i = count; i > 0; i--) {
                var told = i == 1 ? ofFirst : RequestListener.NOBODY;
                var proxy = kind.serve(next, told, upstream -> upstream);
                proxies.addFirst(proxy);
                next = Upstream.of("http://127.0.0.1:" + proxy.server().port()).version(HttpVersion.HTTP_2);
            }
            return new Line(proxies);
        }

        RawClient connect() throws IOException {
            return proxies.getFirst().connect();
        }

        @Override
        public void close() {
            proxies.forEach(Proxying::close);
        }
    }

    /// Agrees, says hello, sends back what comes, and says goodbye.
    private static RawBackend echo() throws IOException {
        return new RawBackend(visit -> {
            visit.send(RawHandshake.agreeing(visit.head()) + "hello");
            var part = new byte[10_000];
            for (int length; (length = visit.in.read(part)) > 0; ) visit.send(new String(part, 0, length, ISO_8859_1));
            visit.send("bye");
        });
    }

    @ParameterizedTest
    @EnumSource
    void each_pair_of_versions_passes_it_on(Proxying.Kind kind) throws Exception {
        for (int count : List.of(2, 3)) {
            try (var backend = echo();
                    var line = Line.of(kind, count, backend.uri());
                    var client = line.connect()) {
                var reply = client.send(RawHandshake.ASKING + "early ").read();
                assertEquals(101, reply.status());
                assertEquals("websocket", reply.header("Upgrade"));
                assertEquals("Upgrade", reply.header("Connection"));
                assertEquals(ACCEPT, reply.header("Sec-WebSocket-Accept"));
                assertEquals("chat", reply.header("Sec-WebSocket-Protocol"));
                assertEquals("yes", reply.header("X-Mine"));
                client.send("late");
                client.socket().shutdownOutput();
                assertEquals("helloearly latebye", new String(client.readAll(), ISO_8859_1));
                var head = String.join("\n", backend.nextHead());
                assertTrue(head.startsWith("GET /chat?room=1 HTTP/1.1\n"), head);
                assertTrue(head.contains("Upgrade: websocket"), head);
                assertFalse(head.contains(KEY), head);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void many_bytes_go_both_ways_at_once(Proxying.Kind kind) throws Exception {
        var words = new byte[LARGE];
        new Random(LARGE).nextBytes(words);
        try (var backend = echo();
                var line = Line.of(kind, 3, backend.uri());
                var client = line.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            var sending = CompletableFuture.runAsync(() -> send(client, words));
            assertEquals("hello", new String(client.exactly(5), ISO_8859_1));
            assertArrayEquals(words, client.exactly(LARGE));
            sending.join();
            assertEquals("bye", new String(client.readAll(), ISO_8859_1));
        }
    }

    private static void send(RawClient client, byte[] words) {
        try {
            client.send(words);
            client.socket().shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_backend_may_end_first_and_still_gets_the_rest(Proxying.Kind kind) throws Exception {
        var got = new LinkedBlockingQueue<String>();
        try (var backend = new RawBackend(visit -> {
                    visit.send(RawHandshake.agreeing(visit.head()) + "hello").end();
                    got.add(new String(visit.in.readAllBytes(), ISO_8859_1));
                });
                var line = Line.of(kind, 3, backend.uri());
                var client = line.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            assertEquals("hello", new String(client.readAll(), ISO_8859_1));
            client.send("later").socket().shutdownOutput();
            assertEquals("later", got.poll(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_refusal_passes_and_what_follows_is_the_next_request(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                var line = Line.of(kind, 3, backend.uri());
                var client = line.connect()) {
            client.send(RawHandshake.ASKING + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals("no", client.read().text());
            assertEquals("no", client.read().text());
            assertTrue(backend.nextHead().getFirst().startsWith("GET /chat"));
            assertTrue(backend.nextHead().getFirst().startsWith("GET /next"));
        }
    }

    /// A response of 2xx to extended CONNECT would seem to open a tunnel.
    @ParameterizedTest
    @EnumSource
    void a_backend_that_answers_as_if_nothing_was_asked_opens_no_tunnel(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                var line = Line.of(kind, 2, backend.uri());
                var client = line.connect()) {
            assertEquals(501, client.send(RawHandshake.ASKING).read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_with_another_accept_is_a_bad_one(Proxying.Kind kind) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                        + "Upgrade: websocket\r\nSec-WebSocket-Accept: " + ACCEPT + "\r\n\r\n");
                var line = Line.of(kind, 2, backend.uri());
                var client = line.connect()) {
            assertEquals(502, client.send(RawHandshake.ASKING).read().status());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_side_that_leaves_takes_the_other_along(Proxying.Kind kind) throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.send(RawHandshake.agreeing(visit.head()) + "x");
                    if (visit.in.read() == 'r') visit.reset();
                    else visit.send("s").awaitEnd();
                });
                var line = Line.of(kind, 3, backend.uri())) {
            try (var client = line.connect()) {
                assertEquals(101, client.send(RawHandshake.ASKING).read().status());
                client.exactly(1);
                client.send("r");
                assertThrows(IOException.class, () -> client.exactly(1));
            }
            try (var client = line.connect()) {
                assertEquals(101, client.send(RawHandshake.ASKING).read().status());
                client.exactly(1);
                client.send("s").exactly(1);
                client.socket().setSoLinger(true, 0);
            }
            backend.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_counts_as_in_HTTP_1(Proxying.Kind kind) throws Exception {
        var served = new LinkedBlockingQueue<List<Object>>();
        RequestListener told = one -> served.add(
                List.of(one.status(), one.isTunnel(), one.isComplete(), one.requestBytes(), one.responseBytes()));
        try (var backend = echo();
                var line = Line.of(kind, 2, backend.uri(), told);
                var client = line.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING + "early ").read().status());
            assertEquals("helloearly ", new String(client.exactly(11), ISO_8859_1));
            var counted = line.proxies()
                    .getFirst()
                    .upstream()
                    .backends()
                    .orElseThrow()
                    .members()
                    .getFirst();
            assertEquals(1, counted.requests().taken());
            assertEquals(1, counted.answered(1));
            client.socket().shutdownOutput();
            assertEquals("bye", new String(client.readAll(), ISO_8859_1));
            assertEquals(List.of(101, true, true, 6L, 14L), served.poll(20, TimeUnit.SECONDS));
            Tunnelling.until(() -> counted.requests().taken() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_on_which_nothing_moves_is_given_up(Proxying.Kind kind) throws Exception {
        try (var backend = echo();
                var behind = kind.to(backend.uri());
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2).webSocketIdleTimeout(Duration.ofSeconds(1)),
                        "http://127.0.0.1:" + behind.server().port());
                var client = proxy.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            assertThrows(IOException.class, client::readAll);
        }
    }

    /// What a server of HTTP/2 begins with that announces nothing: SETTINGS without any.
    private static final byte[] NO_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

    @ParameterizedTest
    @EnumSource
    void a_backend_that_speaks_only_HTTP_2_and_announces_nothing_is_not_asked(Proxying.Kind kind) throws Exception {
        try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2),
                        "http://127.0.0.1:" + listener.getLocalPort())) {
            var got = new ByteArrayOutputStream();
            var reading = CompletableFuture.runAsync(() -> {
                try (var socket = listener.accept()) {
                    socket.getOutputStream().write(NO_SETTINGS);
                    socket.getInputStream().transferTo(got);
                } catch (IOException _) {
                    // The proxy has dropped its connection.
                }
            });
            try (var client = proxy.connect()) {
                assertEquals(502, client.send(RawHandshake.ASKING).read().status());
            }
            var backend = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(1, backend.ended(Outcome.ABANDONED));
            proxy.upstream().close();
            reading.get(20, TimeUnit.SECONDS);
            assertFalse(got.toString(ISO_8859_1).contains("websocket"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_never_reads_stops_the_backend(Proxying.Kind kind) throws Exception {
        var part = new byte[16 << 10];
        Arrays.fill(part, (byte) 'x');
        try (var backend = new RawBackend(visit -> {
                    visit.send(RawHandshake.agreeing(visit.head()));
                    while (true) visit.send(new String(part, ISO_8859_1));
                });
                var line = Line.of(kind, 3, backend.uri());
                var client = line.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).readHead().status());
            client.exactly(1_000_000);
            var held = line.proxies().stream().mapToLong(Proxying::slabBytes).sum();
            assertTrue(held < 3L * (3 << 20), () -> held + " bytes of slabs");
            client.socket().setSoLinger(true, 0);
        }
    }
}
