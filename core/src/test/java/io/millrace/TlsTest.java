package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.net.TimedOut;
import io.millrace.net.TlsError;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// TLS between clients and servers of ours.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTest {
    private static final TlsIdentity LOCALHOST = TlsIdentity.selfSigned("localhost", "127.0.0.1");
    private static final TlsIdentity OTHER = TlsIdentity.selfSigned("other.test", "*.wild.test");
    private static final TlsClient CLIENT = Tls.client("localhost").trusting(LOCALHOST.chain());
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session ECHO_SESSION = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    /// Says how it is secured, and ends.
    private static final Session TELLING =
            conn -> conn.output().writeUtf8(conn.security().orElseThrow().toString());

    private static BlockingConnection connect(Server server, EventLoops loops, TlsClient client) throws IOException {
        return Tcp.connect(Connect.to(server.address()).loops(loops).through(client));
    }

    private static String readAll(BlockingConnection conn) throws IOException {
        while (conn.read()) {
            // until the end
        }
        return conn.input().readUtf8(conn.input().remaining());
    }

    @ParameterizedTest
    @EnumSource
    void bytes_cross_in_both_styles(Loops kind) throws Exception {
        var tls = Tls.server(LOCALHOST);
        try (var loops = kind.start(1)) {
            for (var server : List.of(
                    Tcp.listen(local(loops).through(tls), ECHO),
                    Tcp.listen(local(loops).through(tls).dispatch(Dispatch.virtual()), ECHO),
                    Tcp.serve(local(loops).through(tls), ECHO_SESSION))) {
                try (server;
                        var conn = connect(server, loops, CLIENT)) {
                    for (int length : new int[] {1, 16_384, 16_385, 300_000}) assertEchoes(conn, length);
                    conn.end();
                    assertEquals("", readAll(conn));
                }
            }
        }
    }

    /// In more slabs than the engine is shown at once.
    @ParameterizedTest
    @EnumSource
    void values_in_many_places_are_one_stream(Loops kind) throws Exception {
        var expected = new StringBuilder();
        var values = new ArrayList<Bytes>();
        for (int i = 0; i < 40; i++) {
            var text = String.valueOf((char) ('a' + i % 26)).repeat(1100);
            expected.append(text);
            values.add(Bytes.utf8(text));
        }
        Session session = conn -> values.forEach(conn.output()::write);
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(Tls.server(LOCALHOST)), session);
                var conn = connect(server, loops, CLIENT)) {
            assertEquals(expected.toString(), readAll(conn));
        }
    }

    private static void assertEchoes(BlockingConnection conn, int length) throws IOException {
        var sent = new byte[length];
        new Random(length).nextBytes(sent);
        conn.output().write(sent, 0, length);
        var came = new byte[length];
        for (int at = 0; at < length; ) {
            assertTrue(conn.read());
            int part = (int) Math.min(length - at, conn.input().remaining());
            conn.input().read(came, at, part);
            at += part;
        }
        assertArrayEquals(sent, came);
    }

    @ParameterizedTest
    @EnumSource
    void both_sides_know_how_they_talk(Loops kind) throws Exception {
        var tls = Tls.server(LOCALHOST).speaking("h2", "http/1.1");
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(tls), TELLING);
                var conn = connect(server, loops, CLIENT.speaking("http/1.1"))) {
            var security = conn.security().orElseThrow();
            assertEquals("TLSv1.3", security.protocol());
            assertEquals("TLS_AES_128_GCM_SHA256", security.cipher());
            assertEquals("http/1.1", security.applicationProtocol().orElseThrow());
            assertEquals("localhost", security.serverName().orElseThrow());
            assertEquals(LOCALHOST.chain(), security.peerCertificates());
            var told = readAll(conn);
            assertTrue(told.contains("serverName=Optional[localhost], applicationProtocol=Optional[http/1.1]"), told);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_name_decides_who_the_server_is(Loops kind) throws Exception {
        var tls = Tls.server().name("localhost", LOCALHOST).name("*.wild.test", OTHER);
        var both = Tls.client("localhost").insecurely();
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(tls), TELLING)) {
            assertEquals(LOCALHOST.chain(), chainOf(server, loops, both));
            assertEquals(OTHER.chain(), chainOf(server, loops, both.of("a.wild.test")));
            for (var name : List.of("wild.test", "a.b.wild.test", "unknown", "127.0.0.1")) {
                var failure = assertThrows(TlsError.class, () -> connect(server, loops, both.of(name)));
                assertSays(failure, "unrecognized_name");
            }
        }
    }

    /// A resumed session shows no certificate again.
    @ParameterizedTest
    @EnumSource
    void sessions_are_resumed_unless_that_is_not_wanted(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(Tls.server(LOCALHOST)), ECHO_SESSION)) {
            var resuming = Tls.client("localhost").trusting(LOCALHOST.chain());
            long whole = handshakeBytes(server, loops, resuming);
            assertTrue(handshakeBytes(server, loops, resuming) < whole - 200);
            assertTrue(handshakeBytes(server, loops, resuming.withoutResumption()) > whole - 100);
        }
    }

    private static long handshakeBytes(Server server, EventLoops loops, TlsClient client) throws IOException {
        try (var conn = connect(server, loops, client)) {
            long bytes = conn.receivedBytes();
            // Tickets come behind the handshake.
            assertEchoes(conn, 1);
            conn.end();
            assertEquals("", readAll(conn));
            return bytes;
        }
    }

    private static void assertSays(Exception failure, String what) {
        assertTrue(String.valueOf(failure.getMessage()).contains(what), failure.toString());
    }

    private static Object chainOf(Server server, EventLoops loops, TlsClient client) throws IOException {
        try (var conn = connect(server, loops, client)) {
            return conn.security().orElseThrow().peerCertificates();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_is_not_who_it_should_be_is_refused(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(Tls.server(LOCALHOST)), TELLING)) {
            for (var client : List.of(
                    // Trusted by nobody, another name, another address.
                    Tls.client("localhost"),
                    CLIENT.of("other.test"),
                    CLIENT.of("127.0.0.2"),
                    // Whom to trust was said last.
                    Tls.client("localhost").insecurely().trusting(OTHER.chain()))) {
                assertThrows(TlsError.class, () -> connect(server, loops, client));
            }
            connect(server, loops, CLIENT.of("127.0.0.1")).close();
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_has_no_protocol_in_common_hears_of_it(Loops kind) throws Exception {
        var tls = Tls.server(LOCALHOST).speaking("h2");
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(tls), TELLING)) {
            var failure = assertThrows(TlsError.class, () -> connect(server, loops, CLIENT.speaking("mqtt")));
            assertSays(failure, "no_application_protocol");
        }
    }

    @ParameterizedTest
    @EnumSource
    void clients_show_who_they_are_where_that_is_required(Loops kind) throws Exception {
        var required = Tls.server(LOCALHOST).requiring(OTHER.chain());
        var wanted = Tls.server(LOCALHOST).wanting(OTHER.chain());
        try (var loops = kind.start(1);
                var strict = Tcp.serve(local(loops).through(required), TELLING);
                var lenient = Tcp.serve(local(loops).through(wanted), TELLING)) {
            for (var server : List.of(strict, lenient)) {
                try (var conn = connect(server, loops, CLIENT.as(OTHER))) {
                    var told = readAll(conn);
                    assertTrue(told.contains("CN=other.test"), told);
                }
            }
            try (var conn = connect(lenient, loops, CLIENT)) {
                assertTrue(readAll(conn).contains("peerCertificates=[]"));
            }
            for (var client : List.of(CLIENT, CLIENT.as(LOCALHOST))) assertRefused(strict, loops, client);
        }
    }

    /// In TLS 1.3 a client hears only after its handshake whether the server wants it.
    private static void assertRefused(Server server, EventLoops loops, TlsClient client) {
        var failure = assertThrows(TlsError.class, () -> {
            try (var conn = connect(server, loops, client)) {
                readAll(conn);
            }
        });
        assertSays(failure, "certificate");
    }

    @ParameterizedTest
    @EnumSource
    void a_handshake_has_its_time(Loops kind) throws Exception {
        var tls = Tls.server(LOCALHOST).within(Duration.ofMillis(50));
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(tls), TELLING);
                var silent = RawPeer.of(server)) {
            silent.assertGone();
            until(() -> server.connections() == 0);
            var slow = Connect.to(server.address()).loops(loops).through(CLIENT.within(Duration.ofNanos(1)));
            assertThrows(TimedOut.class, () -> Tcp.connect(slow));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_that_is_cut_is_an_error(Loops kind) throws Exception {
        HandlerFactory cutting = conn -> {
            conn.output().writeUtf8("half of ");
            conn.whenSent(conn::abort);
            return in -> {};
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(Tls.server(LOCALHOST)), cutting);
                var conn = connect(server, loops, CLIENT)) {
            assertThrows(IOException.class, () -> readAll(conn));
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_no_tls_hears_so_and_is_closed(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(Tls.server(LOCALHOST)), TELLING);
                var peer = RawPeer.of(server)) {
            peer.send("GET / HTTP/1.1\r\n\r\n");
            assertArrayEquals(new byte[] {21, 3, 3, 0, 2, 2, 50}, peer.readAll());
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_stands_behind_other_stages(Loops kind) throws Exception {
        var log = WireLog.to(System.getLogger("quiet"), System.Logger.Level.TRACE, 16);
        TlsServer tls = Tls.server(LOCALHOST);
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(log).through(tls).through(log), ECHO_SESSION);
                var conn = Tcp.connect(Connect.to(server.address())
                        .loops(loops)
                        .through(log)
                        .through(CLIENT)
                        .through(log))) {
            assertEchoes(conn, 100_000);
        }
    }
}
