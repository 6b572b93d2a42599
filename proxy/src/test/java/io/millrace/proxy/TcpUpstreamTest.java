package io.millrace.proxy;

import static io.millrace.proxy.Tunnelling.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Listen;
import io.millrace.Tcp;
import io.millrace.http.filter.Networks;
import io.millrace.loop.CoreGuards;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.Tunnelling.Kind;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.upstream.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Layer 4 with backends that are chosen, between plain sockets, on every choice of loops.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpUpstreamTest {
    private static void assertReset(Socket socket) {
        var reset = assertThrows(
                SocketException.class, () -> socket.getInputStream().readAllBytes());
        assertEquals("Connection reset", reset.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void ends_pass_in_either_direction_and_everything_is_given_back(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var client = tunnelling.connect()) {
            client.send("question").socket().shutdownOutput();
            try (var taken = backend.accept()) {
                assertEquals("question", PlainBackend.readAll(taken));
                assertEquals(1, tunnelling.backend(0).requests().taken());
                assertEquals(1, tunnelling.backend(0).connections().taken());
                PlainBackend.send(taken, "answer");
                taken.shutdownOutput();
                assertEquals("answer", new String(client.readAll(), StandardCharsets.ISO_8859_1));
                tunnelling.assertEmpty();
            }
            assertEquals(1, tunnelling.backend(0).ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_speaks_first_is_heard(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var client = tunnelling.connect();
                var taken = backend.accept()) {
            PlainBackend.send(taken, "220 hello\r\n");
            assertEquals("220 hello", RawClient.line(client.socket().getInputStream()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_clients_reset_passes_and_is_not_held_against_the_backend(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var client = tunnelling.connect().send("x");
                var taken = backend.accept()) {
            assertEquals("x", PlainBackend.read(taken, 1));
            PlainBackend.reset(client.socket());
            assertReset(taken);
            tunnelling.assertEmpty();
            assertEquals(1, tunnelling.backend(0).ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backends_reset_passes_and_is_held_against_it_if_it_has_said_nothing(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var silent = tunnelling.connect().send("x")) {
            try (var taken = backend.accept()) {
                assertEquals("x", PlainBackend.read(taken, 1));
                PlainBackend.reset(taken);
                assertReset(silent.socket());
            }
            tunnelling.assertEmpty();
            assertEquals(1, tunnelling.backend(0).ended(Outcome.RESET));
            try (var client = tunnelling.connect();
                    var taken = backend.accept()) {
                PlainBackend.send(taken, "y");
                assertEquals('y', client.socket().getInputStream().read());
                PlainBackend.reset(taken);
                assertReset(client.socket());
            }
            tunnelling.assertEmpty();
            assertEquals(1, tunnelling.backend(0).ended(Outcome.SUCCESS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_slow_backend_holds_its_client_back(Kind kind) throws Exception {
        var sent = new byte[24 << 20];
        new Random(8).nextBytes(sent);
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var client = tunnelling.connect();
                var taken = backend.accept()) {
            var sender = CompletableFuture.runAsync(() -> sendAll(client, sent));
            untilStill(tunnelling);
            assertFalse(sender.isDone(), "all 24 MiB were taken for a backend that reads nothing");
            assertTrue(tunnelling.slabBytes() <= 4 << 20, () -> tunnelling.slabBytes() + " bytes are held");
            assertArrayEquals(sent, taken.getInputStream().readAllBytes());
            sender.get();
        }
    }

    private static void sendAll(RawClient client, byte[] bytes) {
        try {
            new ByteArrayInputStream(bytes).transferTo(client.socket().getOutputStream());
            client.socket().shutdownOutput();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Until its loops have received nothing for a while.
    private static void untilStill(Tunnelling tunnelling) throws Exception {
        for (long before = -1, now = received(tunnelling); now != before || now == 0; now = received(tunnelling)) {
            before = now;
            new CompletableFuture<>()
                    .completeOnTimeout(null, 100, java.util.concurrent.TimeUnit.MILLISECONDS)
                    .get();
        }
    }

    private static long received(Tunnelling tunnelling) {
        return tunnelling.loops().stream()
                .flatMap(group -> group.counters().stream())
                .mapToLong(counters -> counters.bytesReceived())
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void when_connecting_fails_another_backend_is_tried(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(Tunnelling.nobody(), backend.address())) {
            for (int i = 0; i < 2; i++) {
                try (var client = tunnelling.connect().send("hello");
                        var taken = backend.accept()) {
                    assertEquals("hello", PlainBackend.read(taken, 5));
                    PlainBackend.send(taken, "there");
                    assertEquals("there", PlainBackend.read(client.socket(), 5));
                }
            }
            tunnelling.assertEmpty();
            assertEquals(2, tunnelling.backend(1).ended(Outcome.SUCCESS));
            // At least one of the two has begun with the other one.
            long failed = tunnelling.backend(0).ended(Outcome.NOT_CONNECTED);
            assertTrue(failed >= 1);
            assertEquals(
                    failed,
                    tunnelling.upstream().backends().orElseThrow().retries().retries());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_for_whom_nobody_is_reached_is_reset(Kind kind) throws Exception {
        long before = CoreGuards.UPSTREAM.count();
        try (var tunnelling = kind.to(Tunnelling.nobody(), Tunnelling.nobody());
                var client = tunnelling.connect()) {
            assertReset(client.socket());
            assertEquals(before + 1, CoreGuards.UPSTREAM.count());
            tunnelling.assertEmpty();
            assertEquals(1, tunnelling.backend(0).ended(Outcome.NOT_CONNECTED));
            assertEquals(1, tunnelling.backend(1).ended(Outcome.NOT_CONNECTED));
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_more_backends_are_tried_than_there_are_attempts(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(upstream -> upstream.attempts(1), Tunnelling.nobody(), backend.address());
                var first = tunnelling.connect();
                var second = tunnelling.connect()) {
            // Each in turn, so one of the two has met nobody.
            try (var taken = backend.accept()) {
                PlainBackend.send(taken, "x");
                until(() -> tunnelling.backend(0).ended(Outcome.NOT_CONNECTED) == 1);
                assertEquals(1, reads(first) + reads(second));
            }
        }
    }

    private static int reads(RawClient client) throws IOException {
        try {
            return client.socket().getInputStream().readNBytes(1).length;
        } catch (SocketException _) {
            return 0;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_cannot_be_reached_is_ejected(Kind kind) throws Exception {
        var health = Health.passive().ejectionFailures(2).ejectionTime(Duration.ofMinutes(5));
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(upstream -> upstream.health(health), Tunnelling.nobody(), backend.address())) {
            for (int i = 0; i < 8; i++) {
                try (var _ = tunnelling.connect().send("x");
                        var taken = backend.accept()) {
                    assertEquals("x", PlainBackend.read(taken, 1));
                }
            }
            assertTrue(tunnelling.backend(0).isEjected());
            assertEquals(2, tunnelling.backend(0).ended(Outcome.NOT_CONNECTED));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_has_as_many_connections_as_it_may(Kind kind) throws Exception {
        var limits = UpstreamLimits.standard().connectionsPerBackend(1);
        try (var one = new PlainBackend();
                var other = new PlainBackend();
                var tunnelling = kind.to(upstream -> upstream.limits(limits), one.address(), other.address());
                var first = tunnelling.connect();
                var second = tunnelling.connect();
                var taken = one.accept();
                var takenToo = other.accept()) {
            long before = ProxyGuards.BACKEND_CONNECTIONS.count();
            try (var third = tunnelling.connect()) {
                assertReset(third.socket());
            }
            assertEquals(before + 2, ProxyGuards.BACKEND_CONNECTIONS.count());
            PlainBackend.hangUp(clientOf(taken, takenToo, first, second).socket());
            PlainBackend.hangUp(taken);
            until(() -> tunnelling.backend(0).connections().taken() == 0);
            try (var _ = tunnelling.connect().send("x");
                    var again = one.accept()) {
                assertEquals("x", PlainBackend.read(again, 1));
            }
        }
    }

    /// Which of two clients a backend's connection is for: luck begins the round.
    private static RawClient clientOf(Socket wanted, Socket unwanted, RawClient first, RawClient second)
            throws IOException {
        PlainBackend.send(wanted, "1");
        PlainBackend.send(unwanted, "2");
        var heard = PlainBackend.read(first.socket(), 1) + PlainBackend.read(second.socket(), 1);
        assertTrue(heard.equals("12") || heard.equals("21"), heard);
        return heard.equals("12") ? first : second;
    }

    @ParameterizedTest
    @EnumSource
    void fewest_connections_are_what_least_requests_means(Kind kind) throws Exception {
        try (var one = new PlainBackend();
                var other = new PlainBackend();
                var tunnelling =
                        kind.to(upstream -> upstream.balance(Balance.LEAST_REQUESTS), one.address(), other.address());
                var first = tunnelling.connect()) {
            until(() -> tunnelling.server().connections() == 1 && tunnelling.connections() == 2);
            try (var second = tunnelling.connect();
                    var taken = one.accept();
                    var takenToo = other.accept()) {
                PlainBackend.hangUp(clientOf(takenToo, taken, first, second).socket());
                PlainBackend.hangUp(takenToo);
                until(() -> tunnelling.backend(1).requests().taken() == 0);
                try (var _ = tunnelling.connect().send("x");
                        var again = other.accept()) {
                    assertEquals("x", PlainBackend.read(again, 1));
                }
                assertEquals(1, tunnelling.backend(0).requests().taken());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_leaves_at_once_leaves_nothing(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(Tunnelling.nobody(), backend.address())) {
            for (int i = 0; i < 40; i++) {
                var client = tunnelling.connect();
                if (i % 2 == 0) client.send("hello");
                if (i % 3 == 0) PlainBackend.reset(client.socket());
                else client.close();
            }
            // Some are connected to it, and nobody has accepted them.
            backend.stop();
            until(() -> tunnelling.server().connections() == 0);
            tunnelling.assertEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothing_passes_for_too_long(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(upstream -> upstream.idleTimeout(Duration.ofMillis(50)), backend.address());
                var client = tunnelling.connect();
                var taken = backend.accept()) {
            assertReset(client.socket());
            assertReset(taken);
            tunnelling.assertEmpty();
            // Silence is nobody's fault.
            assertEquals(1, tunnelling.backend(0).ended(Outcome.SUCCESS));
        }
    }

    // Announcing.

    @ParameterizedTest
    @EnumSource(names = {"NIO_SAME", "EPOLL_SHARED", "URING_OWN"})
    void backends_are_told_whose_connection_it_is_in_front_of_its_first_byte(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(upstream -> upstream.sendProxyProtocol(Version.V1), backend.address());
                var client = tunnelling.connect().send("hello");
                var taken = backend.accept()) {
            var expected = "PROXY TCP4 127.0.0.1 127.0.0.1 " + client.socket().getLocalPort() + " "
                    + tunnelling.server().port() + "\r\nhello";
            assertEquals(expected, PlainBackend.read(taken, expected.length()));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_OWN", "EPOLL_SAME", "URING_SHARED"})
    void what_a_balancer_in_front_has_said_is_passed_on_and_hashed(Kind kind) throws Exception {
        try (var one = new PlainBackend();
                var other = new PlainBackend();
                var tunnelling = kind.to(
                        upstream -> upstream.sendProxyProtocol(Version.V1)
                                .balance(Balance.HASH)
                                .key(client -> ((InetSocketAddress) client.remote()).getPort()),
                        listen -> listen.through(ProxyProtocol.from(Networks.of("127.0.0.1"))),
                        one.address(),
                        other.address())) {
            // Which of the two a key belongs to is luck, but the same each time.
            for (int key = 1; key <= 4; key++) {
                var header = "PROXY TCP4 192.0.2.1 192.0.2.2 " + key + " 80\r\n";
                long before = tunnelling.backend(0).ended();
                ask(tunnelling, header, one, other);
                ask(tunnelling, header, one, other);
                long toFirst = tunnelling.backend(0).ended() - before;
                assertTrue(toFirst == 0 || toFirst == 2, "two backends for one key");
            }
        }
    }

    private static void ask(Tunnelling tunnelling, String header, PlainBackend one, PlainBackend other)
            throws Exception {
        try (var client = tunnelling.connect().send(header)) {
            until(() -> tunnelling.backend(0).connections().taken()
                            + tunnelling.backend(1).connections().taken()
                    == 1);
            var backend = tunnelling.backend(0).connections().taken() == 1 ? one : other;
            try (var taken = backend.accept()) {
                assertEquals(header, PlainBackend.read(taken, header.length()));
            }
            client.assertEnd();
        }
        tunnelling.assertEmpty();
    }

    // Beginnings and ends.

    @Test
    void it_runs_on_loops_alone() {
        try (var upstream = TcpUpstream.of("127.0.0.1:1")) {
            var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .dispatch(Dispatch.pool(1));
            var thrown = assertThrows(IllegalArgumentException.class, () -> Tcp.listen(listen, upstream));
            assertTrue(thrown.toString().contains("leave Listen.dispatch out"), thrown.toString());
        }
    }

    @Test
    void addresses_that_are_none_are_refused() {
        assertThrows(IllegalArgumentException.class, TcpUpstream::of);
        assertThrows(IllegalArgumentException.class, () -> TcpUpstream.of("127.0.0.1"));
        assertThrows(IllegalArgumentException.class, () -> TcpUpstream.of("http://a.test:80"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_SAME", "EPOLL_OWN", "URING_SAME"})
    void what_is_passed_on_survives_the_close_of_its_upstream(Kind kind) throws Exception {
        try (var backend = new PlainBackend();
                var tunnelling = kind.to(backend.address());
                var client = tunnelling.connect();
                var taken = backend.accept()) {
            tunnelling.upstream().close();
            PlainBackend.send(taken, "on");
            InputStream in = client.socket().getInputStream();
            assertEquals("on", new String(RawClient.exactly(in, 2), StandardCharsets.ISO_8859_1));
        }
    }
}
