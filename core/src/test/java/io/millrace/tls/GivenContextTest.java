package io.millrace.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Session;
import io.millrace.net.TlsError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Contexts of somebody else's, and certificates that end.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GivenContextTest {
    private static final TlsIdentity SERVER = TlsIdentity.selfSigned("localhost");
    private static final TlsIdentity CLIENT = TlsIdentity.selfSigned("client.test");
    private static final Session TELLING = conn -> conn.output()
            .writeUtf8(conn.security().orElseThrow().peerCertificates().size() + " certificates");

    private static Server serve(EventLoops loops, TlsServer tls) {
        var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return Tcp.serve(Listen.on(any).loops(loops).through(tls), TELLING);
    }

    private static String ask(EventLoops loops, Server server, TlsClient tls) throws IOException {
        try (var conn = Tcp.connect(Connect.to(server.address()).loops(loops).through(tls))) {
            while (conn.read()) {
                // until the end
            }
            return conn.input().readUtf8(conn.input().remaining());
        }
    }

    @Test
    void both_sides_take_what_they_are_given() throws IOException {
        var its = Contexts.server(SERVER, CLIENT.chain());
        var own = Contexts.of(Optional.of(CLIENT), SERVER.chain());
        var named = Tls.server().name("localhost", its).wanting();
        try (var loops = EventLoops.configure().threads(1).start();
                var server = serve(loops, Tls.server(its).requiring());
                var other = serve(loops, named)) {
            assertEquals(
                    "1 certificates", ask(loops, server, Tls.client("localhost").with(own)));
            assertEquals(
                    "1 certificates", ask(loops, other, Tls.client("localhost").with(own)));
            var nobody = Contexts.of(Optional.empty(), SERVER.chain());
            assertEquals(
                    "0 certificates", ask(loops, other, Tls.client("localhost").with(nobody)));
        }
    }

    @Test
    void a_name_is_looked_at_whatever_the_context_trusts() throws IOException {
        var credulous = Contexts.of(Optional.empty(), SERVER.chain());
        try (var loops = EventLoops.configure().threads(1).start();
                var server = serve(loops, Tls.server(SERVER))) {
            assertThrows(
                    TlsError.class,
                    () -> ask(loops, server, Tls.client("other.test").with(credulous)));
        }
    }

    @Test
    void who_decides_is_said_once() {
        var context = Contexts.server(SERVER, List.of());
        assertThrows(IllegalArgumentException.class, () -> Tls.server(context).requiring(CLIENT.chain()));
        assertThrows(
                IllegalArgumentException.class,
                () -> Tls.server(SERVER).requiring(CLIENT.chain()).name("a.test", context));
        var client = Tls.client("localhost").with(context);
        assertThrows(IllegalStateException.class, () -> client.trusting(SERVER.chain()));
        assertThrows(IllegalStateException.class, () -> client.as(CLIENT));
        assertThrows(IllegalStateException.class, client::insecurely);
    }

    @Test
    void what_contexts_trust_is_not_taken_for_the_same() {
        var tls = Tls.server(Contexts.server(SERVER, CLIENT.chain()))
                .name("other.test", Contexts.server(SERVER, SERVER.chain()));
        var asked = Optional.of("localhost");
        assertTrue(tls.areAlike(asked, "other.test"));
        assertFalse(tls.requiring().areAlike(asked, "other.test"));
        assertTrue(tls.requiring().areAlike(asked, "localhost."));
    }

    @Test
    void a_client_of_nobody_connects_to_nobody() throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var server = serve(loops, Tls.server(SERVER))) {
            var thrown = assertThrows(Exception.class, () -> ask(loops, server, Tls.client()));
            assertTrue(thrown.toString().contains("name the server"), thrown::toString);
        }
    }

    // The end of certificates.

    private static long warnings(Duration left) {
        long before = CoreGuards.TLS_EXPIRY.count();
        var identity = SelfSigned.identity(List.of("old.test"), Instant.now().plus(left));
        // Said once, however often it is asked for.
        var server = Tls.server(identity);
        assertFalse(server.equals(Tls.server(identity).name("a", identity)));
        return CoreGuards.TLS_EXPIRY.count() - before;
    }

    @Test
    void one_that_ends_soon_is_said_once() {
        assertEquals(0, warnings(Duration.ofDays(15)));
        assertEquals(1, warnings(Duration.ofDays(13)));
        assertEquals(1, warnings(Duration.ofHours(-1)));
    }
}
