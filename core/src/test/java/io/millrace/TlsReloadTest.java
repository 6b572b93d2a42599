package io.millrace;

import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.BlockingConnection;
import io.millrace.net.Session;
import io.millrace.net.TlsError;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsReload;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A TLS server that becomes another one while it serves.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsReloadTest {
    private static final TlsIdentity FIRST = TlsIdentity.selfSigned("localhost");
    private static final TlsIdentity SECOND = TlsIdentity.selfSigned("localhost");
    private static final TlsClient ANYBODY = Tls.client("localhost").insecurely();
    private static final Session ECHO = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    @TempDir
    private Path folder;

    private static BlockingConnection connect(Server server, EventLoops loops, TlsClient client) throws IOException {
        return Tcp.connect(Connect.to(server.address()).loops(loops).through(client));
    }

    private static List<X509Certificate> chainOf(Server server, EventLoops loops, TlsClient client) throws IOException {
        try (var conn = connect(server, loops, client)) {
            return conn.security().orElseThrow().peerCertificates();
        }
    }

    /// One client after the other, until it is over.
    ///
    /// @return whether each was shown one of these
    private static Future<Boolean> asking(
            Server server, EventLoops loops, AtomicBoolean isOver, Set<List<X509Certificate>> allowed) {
        Callable<Boolean> asks = () -> {
            while (!isOver.get()) if (!allowed.contains(chainOf(server, loops, ANYBODY))) return false;
            return true;
        };
        var task = new FutureTask<>(asks);
        Thread.ofVirtual().start(task);
        return task;
    }

    @ParameterizedTest
    @EnumSource
    void each_handshake_has_the_old_or_the_new_one_whole(Loops kind) throws Exception {
        var pairs = List.of(PemFiles.make(folder, "first", "localhost"), PemFiles.make(folder, "second", "localhost"));
        var chains = pairs.stream()
                .map(pair -> TlsIdentity.certificates(pair.chain()))
                .toList();
        var files = new PemFiles(folder.resolve("chain.pem"), folder.resolve("key.pem"));
        files.become(pairs.getFirst());
        var tls = Tls.reloading(() -> Tls.server(files.chain(), files.key()));
        var isOver = new AtomicBoolean();
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).through(tls), ECHO)) {
            var asking = asking(server, loops, isOver, Set.copyOf(chains));
            for (int i = 1; i <= 20; i++) {
                if (i % 5 == 0) assertStays(tls, files, pairs.get(i % 2));
                files.become(pairs.get(i % 2));
                assertTrue(tls.reload());
                assertEquals(chains.get(i % 2), chainOf(server, loops, ANYBODY));
            }
            isOver.set(true);
            assertTrue(asking.get());
        }
    }

    /// With a pair that does not belong together, one that is half written, and half a pair.
    private static void assertStays(TlsReload tls, PemFiles files, PemFiles next) throws IOException {
        Files.copy(next.chain(), files.chain(), StandardCopyOption.REPLACE_EXISTING);
        assertFalse(tls.reload());
        Files.writeString(files.key(), Files.readString(next.key()).substring(0, 60));
        assertFalse(tls.reload());
        Files.delete(files.key());
        assertFalse(tls.reload());
    }

    @Test
    void a_connection_keeps_what_it_began_with() throws Exception {
        var identity = new AtomicReference<>(FIRST);
        var tls = Tls.reloading(() -> Tls.server(identity.get()));
        try (var loops = Loops.NIO.start(1);
                var server = Tcp.serve(local(loops).through(tls), ECHO);
                var conn = connect(server, loops, ANYBODY)) {
            identity.set(SECOND);
            assertTrue(tls.reload());
            conn.output().writeUtf8("still there");
            while (conn.input().remaining() < 11) assertTrue(conn.read());
            assertEquals("still there", conn.input().readUtf8(11));
        }
    }

    @Test
    void the_first_one_has_to_be_right() {
        Supplier<TlsServer> wrong = () -> Tls.server(folder.resolve("a"), folder.resolve("b"));
        assertThrows(java.io.UncheckedIOException.class, () -> Tls.reloading(wrong));
    }

    @Test
    void key_and_rules_for_clients_change_together() throws Exception {
        var server = new AtomicReference<>(Tls.server(FIRST));
        var tls = Tls.reloading(server::get);
        try (var loops = Loops.NIO.start(1);
                var listening = Tcp.serve(local(loops).through(tls), ECHO)) {
            assertEquals(FIRST.chain(), chainOf(listening, loops, ANYBODY));
            server.set(Tls.server(SECOND).requiring(FIRST.chain()));
            assertTrue(tls.reload());
            assertEquals(SECOND.chain(), chainOf(listening, loops, ANYBODY.as(FIRST)));
            assertFails(listening, loops, ANYBODY);
        }
    }

    /// In TLS 1.3 a client is refused when it believes itself connected.
    private static void assertFails(Server server, EventLoops loops, TlsClient client) {
        assertThrows(TlsError.class, () -> {
            try (var conn = connect(server, loops, client)) {
                while (conn.read()) {
                    // nothing comes
                }
            }
        });
    }

    @Test
    void what_is_the_same_is_the_same_server() {
        assertEquals(Tls.server(FIRST).name("a", SECOND), Tls.server(FIRST).name("a", SECOND));
        assertFalse(Tls.server(FIRST).equals(Tls.server(SECOND)));
        assertFalse(Tls.server(FIRST).equals(Tls.server(FIRST).wanting(SECOND.chain())));
    }

    // Names with rules of their own.

    @Test
    void a_name_has_rules_of_its_own_for_clients() throws Exception {
        var tls = Tls.server(FIRST).name("admin.test", Tls.server(SECOND).requiring(FIRST.chain()));
        try (var loops = Loops.NIO.start(1);
                var server = Tcp.serve(local(loops).through(tls), ECHO)) {
            assertEquals(FIRST.chain(), chainOf(server, loops, ANYBODY));
            var admin = ANYBODY.of("admin.test");
            assertFails(server, loops, admin);
            assertEquals(SECOND.chain(), chainOf(server, loops, admin.as(FIRST).of("admin.test")));
        }
    }
}
