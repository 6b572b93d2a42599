package io.millrace.proxy;

import static io.millrace.proxy.Tunnelling.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.Connect;
import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.Response;
import io.millrace.http.filter.Networks;
import io.millrace.http.server.Http;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The stage that takes announcements, between plain sockets and servers of all kinds.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyProtocolTest {
    private static final ProxyProtocol TRUSTING = ProxyProtocol.from(Networks.of("127.0.0.0/8"));
    private static final ProxyProtocol TRUSTING_OTHERS = ProxyProtocol.from(Networks.of("10.0.0.0/8"));
    private static final String HEADER = "PROXY TCP4 192.0.2.1 192.0.2.2 7 8\r\n";
    private static final String GREETED = "/192.0.2.1:7 at /192.0.2.2:8\n";

    /// Says whom it talks to, and then what it has heard.
    private static final HandlerFactory GREETING = conn -> {
        conn.output().writeUtf8(conn.remote() + " at " + conn.local() + "\n");
        return in -> conn.output().move(in);
    };

    private static EventLoops loops(TransportKind transport) {
        Transports.unavailableBecause(transport).ifPresent(why -> abort(transport + " does not work here: " + why));
        return EventLoops.configure().transport(transport).threads(1).start();
    }

    private static Listen listen(EventLoops loops, ProxyProtocol protocol) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops)
                .through(protocol);
    }

    private static void assertReads(String expected, RawClient client) throws IOException {
        var bytes = RawClient.exactly(client.socket().getInputStream(), expected.length());
        assertEquals(expected, new String(bytes, StandardCharsets.ISO_8859_1));
    }

    private static void assertReset(RawClient client) {
        assertThrows(SocketException.class, client::readAll);
    }

    private static void assertNoMemory(EventLoops loops, Server server) {
        until(() -> server.connections() == 0);
        until(() -> loops.counters().getFirst().slabBytesInUse() == 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void handlers_meet_whom_the_header_announces(TransportKind transport) throws Exception {
        try (var loops = loops(transport);
                var server = Tcp.listen(listen(loops, TRUSTING), GREETING);
                var whole = new RawClient(server.port());
                var pieces = new RawClient(server.port())) {
            whole.send(HEADER + "hello");
            assertReads(GREETED + "hello", whole);
            for (int i = 0; i < HEADER.length(); i++) pieces.send(HEADER.substring(i, i + 1));
            assertReads(GREETED, pieces);
            pieces.send("hello");
            assertReads("hello", pieces);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void sessions_and_workers_meet_them_too(TransportKind transport) throws Exception {
        Session session = conn -> {
            conn.output().writeUtf8(conn.remote() + " at " + conn.local() + "\n");
            while (conn.read()) conn.output().move(conn.input());
        };
        try (var loops = loops(transport);
                var direct = Tcp.serve(listen(loops, TRUSTING), session);
                var pooled = Tcp.listen(listen(loops, TRUSTING).dispatch(Dispatch.pool(1)), GREETING)) {
            for (var server : new Server[] {direct, pooled}) {
                try (var client = new RawClient(server.port())) {
                    client.send(HEADER + "hello");
                    assertReads(GREETED + "hello", client);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void requests_of_http_come_from_them(TransportKind transport) throws Exception {
        try (var loops = loops(transport);
                var server = Http.listen(listen(loops, TRUSTING), request -> Response.ok("" + request.remote()));
                var client = new RawClient(server.port())) {
            client.send(HEADER).get("/");
            assertEquals("/192.0.2.1:7", client.read().text());
            client.get("/again");
            assertEquals("/192.0.2.1:7", client.read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_client_of_ours_announces_arrives(Version version) throws Exception {
        var source = new InetSocketAddress("192.0.2.1", 7);
        var destination = new InetSocketAddress("192.0.2.2", 8);
        try (var loops = loops(TransportKind.AUTO);
                var server = Tcp.listen(listen(loops, TRUSTING), GREETING);
                var client = Tcp.connect(
                        Connect.to(server.address()).through(ProxyProtocol.announcing(version, source, destination)))) {
            client.output().writeUtf8("hello");
            var heard = new StringBuilder();
            while (heard.length() < GREETED.length() + 5 && client.read()) {
                heard.append(client.input().readUtf8(client.input().remaining()));
            }
            assertEquals(GREETED + "hello", heard.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_of_the_balancers_own_is_its_own(Version version) throws Exception {
        try (var loops = loops(TransportKind.AUTO);
                var server = Tcp.listen(listen(loops, TRUSTING), GREETING);
                var client = Tcp.connect(Connect.to(server.address()).through(ProxyProtocol.own(version)))) {
            assertTrue(client.read());
            var expected = client.local() + " at " + client.remote() + "\n";
            assertEquals(expected, client.input().readUtf8(client.input().remaining()));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void trusted_peers_must_announce_somebody(TransportKind transport) throws Exception {
        var opened = new AtomicInteger();
        HandlerFactory never = conn -> {
            opened.incrementAndGet();
            return in -> conn.output().move(in);
        };
        long before = ProxyGuards.PROXY_HEADER.count();
        try (var loops = loops(transport);
                var server = Tcp.listen(listen(loops, TRUSTING), never);
                var client = new RawClient(server.port()).send("GET / HTTP/1.1\r\n\r\n")) {
            assertReset(client);
            assertNoMemory(loops, server);
            assertEquals(0, opened.get());
            assertEquals(before + 1, ProxyGuards.PROXY_HEADER.count());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void peers_that_are_not_trusted_are_refused(TransportKind transport) throws Exception {
        long before = ProxyGuards.PROXY_PEER.count();
        try (var loops = loops(transport);
                var server = Tcp.listen(listen(loops, TRUSTING_OTHERS), GREETING);
                var client = new RawClient(server.port())) {
            assertReset(client);
            assertNoMemory(loops, server);
            assertEquals(before + 1, ProxyGuards.PROXY_PEER.count());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void others_that_are_let_in_announce_nobody(TransportKind transport) throws Exception {
        try (var loops = loops(transport);
                var server = Tcp.listen(listen(loops, TRUSTING_OTHERS.andOthers()), GREETING);
                var client = new RawClient(server.port()).send(HEADER)) {
            var ends = "/127.0.0.1:" + client.socket().getLocalPort() + " at /127.0.0.1:" + server.port() + "\n";
            assertReads(ends + HEADER, client);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void peers_of_a_unix_socket_are_trusted(TransportKind transport, @TempDir Path folder) throws Exception {
        var path = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (var loops = loops(transport);
                var _ = Tcp.listen(Listen.on(path).loops(loops).through(TRUSTING_OTHERS), GREETING);
                var client = SocketChannel.open(path)) {
            client.write(ByteBuffer.wrap(HEADER.getBytes(StandardCharsets.ISO_8859_1)));
            var heard = ByteBuffer.allocate(GREETED.length());
            while (heard.hasRemaining()) client.read(heard);
            assertEquals(GREETED, new String(heard.array(), StandardCharsets.ISO_8859_1));
        }
    }

    /// As balancers do to find out whether somebody listens.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_peer_that_ends_before_its_header_is_no_news(TransportKind transport) throws Exception {
        long before = ProxyGuards.PROXY_HEADER.count();
        try (var loops = loops(transport);
                var server = Tcp.listen(listen(loops, TRUSTING), GREETING);
                var client = new RawClient(server.port()).send("PROX")) {
            client.socket().shutdownOutput();
            assertNoMemory(loops, server);
            assertEquals(before, ProxyGuards.PROXY_HEADER.count());
        }
    }

    @Test
    void a_header_comes_in_time_or_not_at_all() {
        Simulation.forEachSeed(40, network -> {
            long before = ProxyGuards.PROXY_HEADER_TIMEOUT.count();
            network.delays(Duration.ofMillis(1), Duration.ofMillis(2));
            Tcp.listen(network.on(80).through(TRUSTING.within(Duration.ofSeconds(3))), GREETING);
            var silent = network.connect(80);
            var slow = network.connect(80).send(HEADER.substring(0, HEADER.length() - 1));
            var announced = network.connect(80).send(HEADER);
            network.advance(Duration.ofMillis(2_900));
            assertTrue(silent.isOpen() && slow.isOpen());
            network.advance(Duration.ofMillis(300));
            assertTrue(silent.isReset() && slow.isReset());
            assertEquals(before + 2, ProxyGuards.PROXY_HEADER_TIMEOUT.count());
            network.advance(Duration.ofMinutes(1));
            assertTrue(announced.isOpen());
            assertEquals(GREETED, announced.received());
            announced.close();
            network.run();
        });
    }

    @Test
    void a_peer_that_was_reset_before_its_header_is_not_late() {
        Simulation.forEachSeed(20, network -> {
            long before = ProxyGuards.PROXY_HEADER_TIMEOUT.count();
            Tcp.listen(network.on(80).through(TRUSTING), GREETING);
            var gone = network.connect(80).send("PROXY");
            network.advance(Duration.ofSeconds(1));
            gone.abort();
            network.advance(Duration.ofMinutes(1));
            assertEquals(before, ProxyGuards.PROXY_HEADER_TIMEOUT.count());
        });
    }

    @Test
    void headers_come_in_any_pieces() {
        Simulation.forEachSeed(60, network -> {
            Tcp.listen(network.on(80).through(TRUSTING), GREETING);
            var words = "x".repeat(network.random(3000));
            var peer = network.connect(80).send(HEADER + words).end();
            network.run();
            assertEquals(GREETED + words, peer.received());
            assertTrue(peer.isEnded());
            assertFalse(peer.isReset());
        });
    }

    @Test
    void settings_that_make_no_sense_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> TRUSTING.within(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> TRUSTING.upTo(231));
        assertThrows(IllegalArgumentException.class, () -> TRUSTING.upTo((32 << 10) + 1));
    }
}
