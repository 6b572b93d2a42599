package io.millrace;

import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Stage;
import io.millrace.net.TlsError;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A server that proves to an authority that it serves a name (RFC 8737).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsProofTest {
    private static final TlsIdentity OWN = TlsIdentity.selfSigned("localhost");
    private static final TlsIdentity PROOF = TlsIdentity.selfSigned("localhost");
    private static final Stage PROVING = Tls.server(OWN)
            .speaking("http/1.1")
            .proving(name -> name.equals("localhost") ? Optional.of(PROOF) : Optional.empty());

    private final AtomicInteger opened = new AtomicInteger();
    private final HandlerFactory counting = conn -> {
        opened.incrementAndGet();
        return in -> conn.output().move(in);
    };

    private static List<X509Certificate> shown(Server server, EventLoops loops, String name, String... applications)
            throws IOException {
        var client = Tls.client(name).insecurely().speaking(applications);
        try (var conn = Tcp.connect(Connect.to(server.address()).loops(loops).through(client))) {
            return conn.security().orElseThrow().peerCertificates();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_offers_its_protocol_alone_gets_the_proof_and_no_handler(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(PROVING), counting)) {
            var client = Tls.client("localhost").insecurely().speaking("acme-tls/1");
            try (var conn =
                    Tcp.connect(Connect.to(server.address()).loops(loops).through(client))) {
                var security = conn.security().orElseThrow();
                assertEquals(PROOF.chain(), security.peerCertificates());
                assertEquals(Optional.of("acme-tls/1"), security.applicationProtocol());
                assertFalse(conn.read(), "the server ends it");
            }
            assertEquals(0, opened.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void other_clients_never_see_the_proof(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(PROVING), counting)) {
            assertEquals(OWN.chain(), shown(server, loops, "localhost", "http/1.1"));
            assertEquals(OWN.chain(), shown(server, loops, "localhost", "acme-tls/1", "http/1.1"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void without_a_proof_for_the_name_there_is_an_alert(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(PROVING), counting)) {
            var refusal = assertThrows(TlsError.class, () -> shown(server, loops, "other.test", "acme-tls/1"));
            assertTrue(String.valueOf(refusal.getMessage()).contains("no_application_protocol"), refusal.toString());
            assertEquals(0, opened.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_without_proofs_refuses_the_protocol(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).through(Tls.server(OWN).speaking("http/1.1")), counting)) {
            assertThrows(TlsError.class, () -> shown(server, loops, "localhost", "acme-tls/1"));
        }
    }
}
