package io.millrace;

import static io.millrace.ClosingTest.onLoop;
import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.LinuxSocketOptions;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Where a server can listen, and what its connections start with.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ListenTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @Test
    void numbers_that_cannot_be_are_refused_with_the_remedy() {
        assertRefused("port 70000: take 0 to 65535", () -> Listen.on(70_000));
        assertRefused("port -1: take 1 to 65535", () -> Connect.to("localhost", -1));
        assertRefused(
                "10 bytes of memory: give a loop 4 MiB",
                () -> EventLoops.configure().memory(10));
    }

    @Test
    void a_server_does_not_start_without_what_was_set_and_dropped() {
        var listen = Listen.on(TcpTest.loopback());
        var _ = listen.backlog(64).maxConnections(8);
        var refusal = assertThrows(IllegalStateException.class, () -> Tcp.listen(listen, ECHO));
        assertTrue(refusal.toString().contains("what backlog(…) returned"), refusal::toString);
    }

    @Test
    void a_client_does_not_connect_without_what_was_set_and_dropped() {
        var connect = Connect.to(TcpTest.loopback());
        var _ = connect.inputLimit(64);
        var refusal = assertThrows(IllegalStateException.class, () -> Tcp.connect(connect));
        assertTrue(refusal.toString().contains("what inputLimit(…) returned"), refusal::toString);
    }

    @Test
    void a_tunnel_does_not_start_without_what_was_set_and_dropped() {
        var tunnel = Tunnel.to(TcpTest.loopback());
        var _ = tunnel.connectTimeout(Duration.ofSeconds(1));
        var refusal =
                assertThrows(IllegalStateException.class, () -> Tcp.listen(Listen.on(TcpTest.loopback()), tunnel));
        assertTrue(refusal.toString().contains("what connectTimeout(…) returned"), refusal::toString);
    }

    @Test
    void loops_do_not_start_without_what_was_set_and_dropped() {
        var setup = EventLoops.configure();
        var _ = setup.threads(1);
        var refusal = assertThrows(IllegalStateException.class, setup::start);
        assertTrue(refusal.toString().contains("what threads(…) returned"), refusal::toString);
    }

    @Test
    void a_setting_that_was_refused_leaves_the_value_as_it_was() {
        var listen = Listen.on(TcpTest.loopback());
        assertThrows(IllegalArgumentException.class, () -> listen.inputLimit(0));
        Tcp.listen(listen, ECHO).close();
    }

    @Test
    void a_value_of_settings_serves_beside_the_copies_that_are_used() {
        var listen = Listen.on(TcpTest.loopback());
        try (var first = Tcp.listen(listen.backlog(64), ECHO);
                var second = Tcp.listen(listen, ECHO);
                var third = Tcp.listen(listen.backlog(64).maxConnections(8), ECHO)) {
            assertEquals(
                    3,
                    List.of(first.port(), second.port(), third.port()).stream()
                            .distinct()
                            .count());
        }
    }

    private static void assertRefused(String sentence, Executable call) {
        var refusal = assertThrows(IllegalArgumentException.class, call);
        assertTrue(refusal.toString().contains(sentence), refusal::toString);
    }

    /// Linux has it, and the JDK does not name it.
    @ParameterizedTest
    @EnumSource
    void a_peer_that_acknowledges_nothing_may_be_given_up_sooner(Loops kind) throws Exception {
        var name = LinuxSocketOptions.TCP_USER_TIMEOUT;
        var handlers = Handlers.heard();
        try (var loops = kind.start(1)) {
            var listen = local(loops).option(name, 20_000);
            if (kind.name().startsWith("NIO")) {
                var refused = assertThrows(RuntimeException.class, () -> Tcp.listen(listen, handlers));
                assertTrue(refused.toString().contains("nio has no socket option TCP_USER_TIMEOUT"));
                return;
            }
            try (var server = Tcp.listen(listen, handlers);
                    var client = Tcp.connect(
                            Connect.to(server.address()).loops(loops).option(name, 7_000))) {
                assertEquals(20_000, handlers.next().conn.options().get(name));
                assertEquals(7_000, client.options().get(name));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void connections_start_with_the_options_of_their_listener(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops)
                                .option(StandardSocketOptions.TCP_NODELAY, false)
                                .option(StandardSocketOptions.SO_KEEPALIVE, true)
                                .option(ExtendedSocketOptions.TCP_KEEPIDLE, 77)
                                .option(StandardSocketOptions.SO_SNDBUF, 100_000),
                        handlers);
                var plain = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var options = handlers.next().conn.options();
            assertFalse(options.get(StandardSocketOptions.TCP_NODELAY));
            assertTrue(options.get(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(77, options.get(ExtendedSocketOptions.TCP_KEEPIDLE));
            // The kernel doubles it, socket(7), which the JDK hides.
            assertTrue(List.of(100_000, 200_000).contains(options.get(StandardSocketOptions.SO_SNDBUF)));
            try (var other = RawPeer.of(plain)) {
                var defaults = handlers.next().conn.options();
                assertTrue(defaults.get(StandardSocketOptions.TCP_NODELAY));
                assertFalse(defaults.get(StandardSocketOptions.SO_KEEPALIVE));
                assertTrue(other.socket().isConnected() && peer.socket().isConnected());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void options_of_a_connection_can_be_changed_and_read_back(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            var options = heard.conn.options();
            options.set(StandardSocketOptions.TCP_NODELAY, false);
            assertFalse(options.get(StandardSocketOptions.TCP_NODELAY));
            options.set(StandardSocketOptions.TCP_NODELAY, true);
            assertTrue(options.get(StandardSocketOptions.TCP_NODELAY));
            options.set(StandardSocketOptions.IP_TOS, 0x10);
            assertEquals(0x10, options.get(StandardSocketOptions.IP_TOS));
            assertEquals(-1, options.get(StandardSocketOptions.SO_LINGER));
            options.set(StandardSocketOptions.SO_LINGER, 0);
            assertEquals(0, options.get(StandardSocketOptions.SO_LINGER));
            peer.reset();
            heard.closed.get();
            assertThrows(IllegalStateException.class, () -> options.get(StandardSocketOptions.TCP_NODELAY));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_wrong_option_is_refused_when_the_server_starts(Loops kind) {
        try (var loops = kind.start(1)) {
            var wrong = local(loops).option(StandardSocketOptions.IP_MULTICAST_TTL, 3);
            var refusal = assertThrows(RuntimeException.class, () -> Tcp.listen(wrong, ECHO));
            assertTrue(refusal.toString().contains("IP_MULTICAST_TTL"), refusal.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_unix_socket_serves_and_its_file_goes_with_the_server(Loops kind, @TempDir Path folder) throws Exception {
        var path = folder.resolve("socket");
        var at = UnixDomainSocketAddress.of(path);
        var handlers = Handlers.heard();
        try (var loops = kind.start(2)) {
            try (var server = Tcp.listen(Listen.on(at).loops(loops), handlers);
                    var conn = Tcp.connect(Connect.to(at).loops(loops))) {
                assertTrue(Files.exists(path));
                assertEquals(at, server.address());
                assertEquals(-1, server.port());
                conn.output().writeUtf8("hello");
                conn.flush();
                var heard = handlers.next();
                assertEquals("hello", heard.calls.take());
                onLoop(heard, () -> heard.conn.output().writeUtf8("goodbye"));
                assertTrue(conn.read());
                assertEquals("goodbye", conn.input().readUtf8(7));
                assertEquals(at, conn.remote());
                assertEquals(at, heard.conn.local());
                conn.end();
                assertEquals("null", heard.closed.get());
                assertFalse(conn.read());
            }
            assertFalse(Files.exists(path));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_unix_socket_echoes_much(Loops kind, @TempDir Path folder) throws Exception {
        var at = UnixDomainSocketAddress.of(folder.resolve("socket"));
        var piece = new byte[50_000];
        try (var loops = kind.start(1);
                var server = Tcp.listen(Listen.on(at).loops(loops), ECHO);
                var conn = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            long received = 0;
            for (int i = 0; i < 100; i++) {
                conn.output().write(piece, 0, piece.length);
                assertTrue(conn.read());
                received += conn.input().remaining();
                conn.input().skip(conn.input().remaining());
            }
            conn.end();
            while (conn.read()) {
                received += conn.input().remaining();
                conn.input().skip(conn.input().remaining());
            }
            assertEquals(100L * piece.length, received);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aborting_a_unix_socket_ends_the_other_side(Loops kind, @TempDir Path folder) throws Exception {
        var at = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (var loops = kind.start(1);
                var server = Tcp.listen(Listen.on(at).loops(loops), conn -> in -> conn.abort());
                var conn = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            conn.output().writeUtf8("x");
            try {
                assertFalse(conn.read());
            } catch (IOException e) {
                assertInstanceOf(Reset.class, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_file_in_the_place_of_a_unix_socket_stays(Loops kind, @TempDir Path folder) throws Exception {
        var path = Files.writeString(folder.resolve("file"), "precious");
        try (var loops = kind.start(1)) {
            var listen = Listen.on(UnixDomainSocketAddress.of(path)).loops(loops);
            var refusal = assertThrows(UncheckedIOException.class, () -> Tcp.listen(listen, ECHO));
            assertTrue(refusal.toString().contains(path.toString()), refusal.toString());
            assertEquals("precious", Files.readString(path));
        }
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("AddressSelection") // this one
    void an_ipv6_address_serves(Loops kind) throws Exception {
        var loopback = new InetSocketAddress(InetAddress.getByName("::1"), 0);
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(Listen.on(loopback).loops(loops), handlers);
                var conn = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            conn.output().writeUtf8("hello");
            conn.flush();
            var heard = handlers.next();
            assertEquals("hello", heard.calls.take());
            assertInstanceOf(Inet6Address.class, ((InetSocketAddress) heard.conn.remote()).getAddress());
            assertEquals(heard.conn.remote(), conn.local());
        }
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("AddressSelection") // these
    void a_port_alone_serves_ipv4_and_ipv6(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(Listen.on(0).loops(loops), ECHO);
                var four = new RawPeer(new Socket("127.0.0.1", server.port()));
                var six = new RawPeer(new Socket("::1", server.port()))) {
            four.send("four").assertReads("four");
            six.send("six").assertReads("six");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_listener_on_each_loop_spreads_connections(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops).reusePort(true), ECHO)) {
            var peers = new ArrayList<RawPeer>();
            // The kernel chooses by a hash: that 64 connections all go one way has a chance of 1 in 2^63.
            for (int i = 0; i < 64; i++) peers.add(RawPeer.of(server).send("x"));
            for (var peer : peers) peer.assertReads("x");
            assertTrue(loops.counters().stream().allMatch(counters -> counters.connections() > 0));
            assertTrue(loops.counters().stream().allMatch(counters -> counters.accepted() == counters.connections()));
            peers.forEach(RawPeer::close);
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_listener_hands_connections_to_every_loop(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), ECHO)) {
            var peers = new ArrayList<RawPeer>();
            for (int i = 0; i < 10; i++) peers.add(RawPeer.of(server).send("x"));
            for (var peer : peers) peer.assertReads("x");
            assertTrue(loops.counters().stream().allMatch(counters -> counters.connections() > 0));
            peers.forEach(RawPeer::close);
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_unresolved_address_is_named(Loops kind) {
        try (var loops = kind.start(1)) {
            var listen = Listen.on(InetSocketAddress.createUnresolved("no-such-host.invalid", 80))
                    .loops(loops);
            var refusal = assertThrows(UncheckedIOException.class, () -> Tcp.listen(listen, ECHO));
            assertTrue(refusal.toString().contains("no-such-host.invalid"), refusal.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_cannot_listen_leaves_nothing_behind(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 20; i++) {
                var taken = Listen.on(server.address()).loops(loops).reusePort(i % 2 == 0);
                assertThrows(UncheckedIOException.class, () -> Tcp.listen(taken, ECHO));
            }
            try (var peer = RawPeer.of(server)) {
                peer.send("x").assertReads("x");
            }
        }
    }
}
