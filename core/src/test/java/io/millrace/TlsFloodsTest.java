package io.millrace;

import static io.millrace.Eventually.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.LoopHost;
import io.millrace.net.HandlerFactory;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.Trust;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Peers that want more of TLS than anybody needs: new keys for ever (`tls.records`), and too many
/// handshakes at a time (`tls.handshakes`).
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsFloodsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final TlsIdentity LOCALHOST = TlsIdentity.selfSigned("localhost");
    private static final TlsServer SERVER = Tls.server(LOCALHOST);
    private static final TlsClient CLIENT = Tls.client("localhost").trusting(LOCALHOST.chain());
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    /// Records without data that a peer may be ahead, and the data that takes one of them back.
    private static final int MOST_RECORDS = 64;

    private static final int DATA_BYTES = 16 << 10;

    /// Handshakes that may wait.
    private static final int MOST_WAITING = 1024;

    // New keys.

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void a_client_of_openssl_that_asks_for_new_keys_again_and_again_is_ended(Loops kind) throws Exception {
        if (Machine.program(List.of("openssl")).isEmpty()) throw Machine.lacks("there is no openssl on the PATH");
        long acted = CoreGuards.TLS_RECORDS.count();
        try (var loops = new CheckedLoops(kind.start(1));
                var server = Tcp.listen(loops.listen().through(SERVER), ECHO)) {
            var client = new ProcessBuilder("openssl", "s_client", "-connect", "127.0.0.1:" + server.port(), "-tls1_3")
                    .redirectErrorStream(true)
                    .start();
            var says = client.inputReader(UTF_8);
            // It takes a line for a command when that is all it finds to read.
            for (int i = 0; i < MOST_RECORDS; i++) {
                type(client, "K");
                awaitLine(says, "KEYUPDATE");
            }
            type(client, "ping");
            awaitLine(says, "ping");
            assertEquals(acted, CoreGuards.TLS_RECORDS.count());
            type(client, "K");
            says.lines().forEach(_ -> {});
            client.waitFor();
            until(() -> server.connections() == 0);
            assertRecordsCounted(acted + 1);
        }
    }

    private static void type(Process process, String line) throws IOException {
        var input = process.getOutputStream();
        input.write((line + "\n").getBytes(UTF_8));
        input.flush();
    }

    private static void awaitLine(BufferedReader lines, String expected) throws IOException {
        for (var line = lines.readLine(); line != null; line = lines.readLine()) if (line.equals(expected)) return;
        throw new AssertionError("it has ended without " + expected);
    }

    private static void assertRecordsCounted(long times) {
        assertEquals(times, CoreGuards.TLS_RECORDS.count());
        var why = CoreGuards.TLS_RECORDS.lastly();
        assertTrue(why.endsWith("more than 64 TLS records without data (tls.records)"), why);
    }

    /// As far ahead as it may be, and then as fast as its data allows.
    @ParameterizedTest
    @EnumSource
    void new_keys_for_ever_are_borne_with_16_kib_of_data_for_each(Loops kind) throws Exception {
        long acted = CoreGuards.TLS_RECORDS.count();
        try (var loops = new CheckedLoops(kind.start(1));
                var server = Tcp.listen(loops.listen().through(SERVER), ECHO);
                var peer = connect(server)) {
            changeKeys(peer, MOST_RECORDS);
            for (int i = 0; i < 5 * MOST_RECORDS; i++) {
                assertEchoes(peer, DATA_BYTES);
                changeKeys(peer, 1);
            }
            assertEchoes(peer, DATA_BYTES - 1);
            assertEquals(acted, CoreGuards.TLS_RECORDS.count());
            changeKeys(peer, 1);
            assertIsEnded(peer);
            assertRecordsCounted(acted + 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void data_that_came_before_allows_no_more_of_them(Loops kind) throws Exception {
        long acted = CoreGuards.TLS_RECORDS.count();
        try (var loops = new CheckedLoops(kind.start(1));
                var server = Tcp.listen(loops.listen().through(SERVER), ECHO);
                var peer = connect(server)) {
            assertEchoes(peer, 2 * MOST_RECORDS * DATA_BYTES);
            changeKeys(peer, MOST_RECORDS);
            assertEchoes(peer, 1);
            assertEquals(acted, CoreGuards.TLS_RECORDS.count());
            changeKeys(peer, 1);
            assertIsEnded(peer);
            assertRecordsCounted(acted + 1);
        }
    }

    /// A socket of the JDK, when its handshake is over.
    private static SSLSocket connect(Server server) throws IOException, GeneralSecurityException {
        var factory = Trust.in(LOCALHOST.chain().getFirst()).getSocketFactory();
        var socket = (SSLSocket) factory.createSocket(InetAddress.getLoopbackAddress(), server.port());
        socket.setEnabledProtocols(new String[] {"TLSv1.3"});
        socket.startHandshake();
        return socket;
    }

    /// In TLS 1.3 a handshake behind the first one is a new key, and a wish for one of the other side.
    private static void changeKeys(SSLSocket peer, int times) throws IOException {
        for (int i = 0; i < times; i++) peer.startHandshake();
    }

    /// Part by part: who does not read is not read from for long.
    private static void assertEchoes(SSLSocket peer, int length) throws IOException {
        var sent = new byte[length];
        new Random(length).nextBytes(sent);
        for (int at = 0; at < length; at += DATA_BYTES) {
            int part = Math.min(DATA_BYTES, length - at);
            peer.getOutputStream().write(sent, at, part);
            var came = peer.getInputStream().readNBytes(part);
            assertArrayEquals(Arrays.copyOfRange(sent, at, at + part), came);
        }
    }

    private static void assertIsEnded(SSLSocket peer) {
        assertThrows(IOException.class, () -> peer.getInputStream().read());
    }

    // Handshakes.

    @ParameterizedTest
    @EnumSource
    void handshakes_above_those_that_may_wait_are_refused(Loops kind) throws Exception {
        int above = 10;
        Proc.assumeDescriptors(2 * (MOST_WAITING + above) + 200);
        long acted = CoreGuards.TLS_HANDSHAKES.count();
        var hello = hello();
        var peers = new ArrayList<RawPeer>();
        try (var loops = new CheckedLoops(kind.start(1));
                var server = Tcp.listen(loops.listen().through(SERVER.within(Duration.ofMinutes(1))), ECHO)) {
            try (var _ = new BusyThreads(loops.loops())) {
                for (int i = 0; i < MOST_WAITING + above; i++)
                    peers.add(RawPeer.of(server).send(hello));
                until(() -> CoreGuards.TLS_HANDSHAKES.count() >= acted + above);
            }
            assertEquals(
                    MOST_WAITING,
                    peers.stream().filter(TlsFloodsTest::isAnswered).count());
            assertEquals(acted + above, CoreGuards.TLS_HANDSHAKES.count());
            assertEquals("this process: 1024 TLS handshakes wait", CoreGuards.TLS_HANDSHAKES.lastly());
            assertServes(server, loops);
            peers.forEach(RawPeer::close);
            until(() -> server.connections() == 0);
        }
    }

    /// How a client begins that goes no further.
    private static byte[] hello() throws GeneralSecurityException, SSLException {
        var engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        engine.beginHandshake();
        var record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        return Arrays.copyOf(record.array(), record.position());
    }

    /// Has all threads that compute do something else than handshakes until it is closed.
    private static final class BusyThreads implements AutoCloseable {
        /// A core is left to the loops.
        private static final int COUNT = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);

        private final CountDownLatch begun = new CountDownLatch(COUNT);
        private final CountDownLatch isOver = new CountDownLatch(1);

        BusyThreads(EventLoops loops) throws InterruptedException {
            LoopHost host = loops.group().loops().getFirst().host();
            for (int i = 0; i < COUNT; i++) assertTrue(host.compute(this::hold));
            begun.await();
        }

        private void hold() {
            begun.countDown();
            try {
                isOver.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            isOver.countDown();
        }
    }

    /// With a record of the handshake; or else the connection was reset.
    private static boolean isAnswered(RawPeer peer) {
        try {
            assertEquals(22, peer.socket().getInputStream().read());
            return true;
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertServes(Server server, CheckedLoops loops) throws IOException {
        try (var conn =
                Tcp.connect(Connect.to(server.address()).loops(loops.loops()).through(CLIENT))) {
            conn.output().writeUtf8("hello");
            while (conn.input().remaining() < 5) assertTrue(conn.read());
            assertEquals("hello", conn.input().readUtf8(5));
        }
    }
}
