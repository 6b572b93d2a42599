package io.millrace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Refused;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Both styles over real sockets, on every kind of loop; closing the loops asserts that all slabs came home.
class TcpTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session DIRECT_ECHO = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    static Listen local(EventLoops loops) {
        return Listen.on(loopback()).loops(loops);
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @ParameterizedTest
    @EnumSource
    void a_callback_handler_echoes(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_echoes(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), DIRECT_ECHO)) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_on_a_pool_echoes(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(2)), ECHO)) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_on_virtual_threads_echoes(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), ECHO)) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_carries_both_ways(Loops kind) throws IOException {
        try (var loops = kind.start(2);
                var backend = Tcp.listen(local(loops), ECHO);
                var server = Tcp.listen(local(loops), Tunnel.to(backend.address()))) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_with_upstream_loops_of_its_own_carries_both_ways(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var own = kind.start(1);
                var backend = Tcp.listen(local(loops), ECHO);
                var server =
                        Tcp.listen(local(loops), Tunnel.to(backend.address()).upstreamLoops(own))) {
            assertEchoes(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_in_direct_style_talks_to_a_server(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var client = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            client.output().writeUtf8("hello");
            client.end();
            var heard = new StringBuilder();
            while (client.read())
                heard.append(client.input().readUtf8(client.input().remaining()));
            assertEquals("hello", heard.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void connecting_where_nobody_listens_is_refused(Loops kind) throws IOException {
        try (var loops = kind.start(1)) {
            var server = Tcp.listen(local(loops), ECHO);
            var address = server.address();
            server.close();
            assertThrows(Refused.class, () -> Tcp.connect(Connect.to(address).loops(loops)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_address_in_use_is_named(Loops kind) {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var second = Listen.on(server.address()).loops(loops);
            var refusal = assertThrows(UncheckedIOException.class, () -> Tcp.listen(second, ECHO));
            assertEquals(true, refusal.toString().contains(String.valueOf(server.port())), refusal.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_drained_server_with_idle_connections_ends(Loops kind) throws IOException {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(1);
            assertEquals(1, socket.getInputStream().read());
            assertEquals(true, server.drain(Duration.ofSeconds(20)));
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    /// A few megabytes in pieces of every size, sent and read at the same time, then a half-close.
    static void assertEchoes(Server server) throws IOException {
        var random = new Random(7);
        var sent = new byte[3 << 20];
        random.nextBytes(sent);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            var writer = Thread.ofVirtual().start(() -> sendInPieces(socket, sent, random));
            var heard = socket.getInputStream().readNBytes(sent.length + 1);
            assertEquals(sent.length, heard.length);
            assertArrayEquals(sent, heard);
            writer.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void sendInPieces(Socket socket, byte[] sent, Random random) {
        try {
            for (int at = 0; at < sent.length; ) {
                int length = Math.min(sent.length - at, 1 + random.nextInt(1 << random.nextInt(18)));
                socket.getOutputStream().write(Arrays.copyOfRange(sent, at, at + length));
                at += length;
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
