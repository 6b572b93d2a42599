package io.millrace;

import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.TlsError;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// TLS with OpenSSL on the other side.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class TlsPeersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @TempDir
    private Path folder;

    @BeforeEach
    void opensslIsThere() {
        if (Machine.program(List.of("openssl")).isEmpty()) throw Machine.lacks("there is no openssl on the PATH");
    }

    private Process openssl(String... arguments) throws IOException {
        var command = Stream.concat(Stream.of("openssl"), Stream.of(arguments)).toList();
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /// Files of a key of this kind.
    private TlsIdentity identity(String kind) throws Exception {
        var command = new ArrayList<>(List.of("req", "-x509", "-nodes", "-days", "3", "-subj", "/CN=localhost"));
        command.addAll(List.of("-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"));
        command.addAll(
                kind.equals("rsa")
                        ? List.of("-newkey", "rsa:2048")
                        : List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"));
        var process = openssl(command.toArray(String[]::new));
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        return TlsIdentity.pem(folder.resolve("cert.pem"), folder.resolve("key.pem"));
    }

    /// What `openssl s_client` says when it has sent a line, heard it, and ended.
    private String ask(Server server, String... more) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("s_client", "-connect", "127.0.0.1:" + server.port()));
        command.addAll(List.of("-servername", "localhost", "-CAfile", "cert.pem", "-verify_hostname", "localhost"));
        command.addAll(List.of(more));
        var process = openssl(command.toArray(String[]::new));
        var input = process.getOutputStream();
        try {
            input.write("ping\n".getBytes(UTF_8));
            input.flush();
        } catch (IOException _) {
            // It was refused, and has ended already.
        }
        var said = new StringBuilder();
        var lines = process.inputReader(UTF_8);
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            said.append(line).append('\n');
            // What it reads is the end of it.
            if (line.equals("ping")) input.close();
        }
        assertTrue(process.waitFor(10, TimeUnit.SECONDS));
        return said.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256",
                "-tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384",
                "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256",
                "-tls1_3 -groups X25519",
                "-tls1_3 -groups P-384",
                "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
                "-tls1_2 -cipher ECDHE-RSA-AES256-GCM-SHA384",
                "-tls1_2 -cipher ECDHE-RSA-CHACHA20-POLY1305",
                "-tls1_3 -split_send_frag 1 -max_send_frag 512"
            })
    void a_client_of_openssl_is_served(String options) throws Exception {
        try (var loops = EventLoops.configure().threads(1).start();
                var server = Tcp.listen(local(loops).through(Tls.server(identity("rsa"))), ECHO)) {
            var said = ask(server, options.split(" ", -1));
            assertTrue(said.contains("Verify return code: 0 (ok)") || said.contains("Verification: OK"), said);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-tls1_1 -cipher DEFAULT:@SECLEVEL=0",
                "-tls1_2 -cipher AES128-GCM-SHA256",
                "-tls1_2 -cipher ECDHE-RSA-AES128-SHA"
            })
    void what_is_not_good_any_more_is_refused(String options) throws Exception {
        try (var loops = EventLoops.configure().threads(1).start();
                var server = Tcp.listen(local(loops).through(Tls.server(identity("rsa"))), ECHO)) {
            var said = ask(server, options.split(" ", -1));
            assertTrue(said.contains("alert"), said);
            assertTrue(said.contains("Cipher is (NONE)"), said);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void sessions_are_resumed(String version) throws Exception {
        try (var loops = EventLoops.configure().threads(1).start();
                var server = Tcp.listen(local(loops).through(Tls.server(identity("ec"))), ECHO)) {
            assertTrue(ask(server, version, "-sess_out", "session").contains("New, TLS"));
            var again = ask(server, version, "-sess_in", "session");
            assertTrue(again.contains("Reused, TLS"), again);
        }
    }

    /// A name that the session was not made for gets a handshake of its own.
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void a_session_is_resumed_under_its_own_name_alone(String version) throws Exception {
        var tls =
                Tls.server().name("localhost", identity("ec")).name("other.test", TlsIdentity.selfSigned("other.test"));
        try (var loops = EventLoops.configure().threads(1).start();
                var server = Tcp.listen(local(loops).through(tls), ECHO)) {
            ask(server, version, "-sess_out", "session");
            var other = ask(server, version, "-sess_in", "session", "-servername", "other.test");
            assertTrue(other.contains("New, TLS"), other);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void renegotiation_is_refused(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(Tls.server(identity("ec"))), ECHO);
                var echo = Tcp.listen(local(loops), ECHO);
                var other = RawPeer.of(echo)) {
            var process = openssl("s_client", "-connect", "127.0.0.1:" + server.port(), "-tls1_2");
            process.getOutputStream().write("R\n".getBytes(UTF_8));
            process.getOutputStream().flush();
            var said = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertTrue(said.contains("RENEGOTIATING"), said);
            other.send("x").assertReads("x");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void a_server_of_openssl_is_asked(String version) throws Exception {
        var identity = identity("ec");
        int port = Machine.freePort();
        var process = openssl(
                "s_server",
                "-accept",
                "127.0.0.1:" + port,
                "-cert",
                "cert.pem",
                "-key",
                "key.pem",
                version,
                "-rev",
                "-naccept",
                "2");
        var to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var client = Tls.client("localhost").trusting(identity.chain());
        try (var loops = EventLoops.configure().threads(1).start()) {
            awaitListening(process);
            try (var conn = Tcp.connect(Connect.to(to).loops(loops).through(client))) {
                conn.output().writeUtf8("hello\n");
                while (conn.input().remaining() < 6) assertTrue(conn.read());
                assertEquals("olleh\n", conn.input().readUtf8(6));
                assertEquals(
                        version.equals("-tls1_3") ? "TLSv1.3" : "TLSv1.2",
                        conn.security().orElseThrow().protocol());
            }
            assertThrows(
                    TlsError.class,
                    () -> Tcp.connect(Connect.to(to).loops(loops).through(client.of("other.test"))));
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static void awaitListening(Process process) throws IOException {
        var reader = process.inputReader(UTF_8);
        for (var line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.contains("ACCEPT")) return;
        }
        throw new IOException("openssl s_server has ended");
    }

    /// Both as a client of the JDK sees it, which a browser or an agent of Java's is.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_stream_that_ends_in_order_is_told_from_one_that_is_cut(Loops kind) throws Exception {
        var identity = identity("ec");
        HandlerFactory ending = conn -> {
            conn.output().writeUtf8("all");
            conn.close();
            return in -> {};
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(Tls.server(identity)), ending)) {
            Files.writeString(folder.resolve("self.pem"), identity.toPem());
            var said = ask(server, "-tls1_3");
            assertTrue(said.contains("all"), said);
        }
    }
}
