package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.InheritedSockets;
import io.millrace.Tcp;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.http.client.HttpClient;
import io.millrace.http.filter.MetricsText;
import io.millrace.net.TlsError;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A proxy whose certificates come from an authority; what obtains them is scripted.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyAcmeTest {
    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.of(1);
    private final Scripted keeper = new Scripted();

    @AfterEach
    void they_end() {
        loops.close();
    }

    private static final class Scripted implements CertificateKeeper {
        private final AcmeChallenges challenges = new AcmeChallenges();
        private List<AcmeSettings> kept = List.of();
        private boolean isClosed;

        @Override
        public void keep(Collection<AcmeSettings> wanted) {
            kept = List.copyOf(wanted);
        }

        @Override
        public AcmeChallenges challenges() {
            return challenges;
        }

        @Override
        public void write(MetricsText to) {
            to.gauge("test_kept", "Certificates.").value(kept.size());
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private Configuration configuration(String names) {
        var text = """
                listeners:
                  plain: {address: 'localhost:0', access: {allow: [192.0.2.0/24]}}
                  secure:
                    address: 127.0.0.1:0
                    tls:
                      certificates:
                        - acme: {names: [%s], storage: %s, terms-agreed: true}
                routes: {all: {redirect: {to: 'https://{host}{path}'}}}
                runtime: {loops: 1}
                """.formatted(names, folder.resolve("kept"));
        return switch (ConfigurationFile.parse("test.yaml", folder, text, Map.of())) {
            case CheckedFile.Good good -> good.configuration();
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
    }

    private ProxyService start(Configuration configuration) throws IOException {
        return ProxyService.start(configuration, InheritedSockets.none(), Optional.of(_ -> keeper), () -> {});
    }

    private static int port(ProxyService service, int number) {
        return ((InetSocketAddress) service.addresses().get(number)).getPort();
    }

    private Response ask(ProxyService service, String path) throws IOException {
        try (var client = HttpClient.create()) {
            return client.send(Request.get("http://127.0.0.1:" + port(service, 0) + path));
        }
    }

    private List<X509Certificate> shown(ProxyService service, String name, String application) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port(service, 1));
        var client = Tls.client(name).insecurely().speaking(application);
        try (var conn = Tcp.connect(Connect.to(address).loops(loops).through(client))) {
            return conn.security().orElseThrow().peerCertificates();
        }
    }

    /// As the keeper leaves one.
    private TlsIdentity issue(String... names) throws IOException {
        var kept = folder.resolve("kept");
        if (!Files.exists(kept)) Files.createDirectory(kept);
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwx------"));
        var pem = PemFiles.make(folder, "issued", names);
        var file = kept.resolve(names[0] + ".pem");
        Files.writeString(file, "Directory: x\n" + Files.readString(pem.key()) + Files.readString(pem.chain()));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return TlsIdentity.pem(file, file);
    }

    @Test
    void a_challenge_is_answered_before_gates_and_routes() throws IOException {
        try (var service = start(configuration("www.example.test"))) {
            keeper.challenges.answer("token", "token.thumbprint");
            var answer = ask(service, "/.well-known/acme-challenge/token");
            assertEquals(200, answer.status());
            assertEquals("token.thumbprint", answer.text());
            assertEquals(403, ask(service, "/.well-known/acme-challenge/other").status());
            keeper.challenges.forget("token");
            assertEquals(403, ask(service, "/.well-known/acme-challenge/token").status());
        }
    }

    @Test
    void before_there_is_a_certificate_only_proofs_are_given() throws IOException {
        try (var service = start(configuration("www.example.test"))) {
            assertThrows(TlsError.class, () -> shown(service, "www.example.test", "http/1.1"));
            var proof = TlsIdentity.selfSigned("www.example.test");
            keeper.challenges.prove("www.example.test", proof);
            assertEquals(proof.chain(), shown(service, "www.example.test", "acme-tls/1"));
            assertThrows(TlsError.class, () -> shown(service, "www.example.test", "http/1.1"));
        }
    }

    @Test
    void a_reload_takes_the_certificate_that_was_issued() throws IOException {
        var configuration = configuration("www.example.test");
        try (var service = start(configuration)) {
            assertEquals(1, keeper.kept.size());
            var issued = issue("www.example.test");
            assertTrue(configuration.files().contains(folder.resolve("kept").resolve("www.example.test.pem")));
            var _ = service.reload(configuration("www.example.test"));
            assertEquals(issued.chain(), shown(service, "www.example.test", "http/1.1"));
        }
    }

    @Test
    void a_name_that_is_added_is_refused_until_it_is_in_the_certificate_and_the_others_are_not() throws IOException {
        var first = issue("www.example.test");
        try (var service = start(configuration("www.example.test"))) {
            var _ = service.reload(configuration("www.example.test, api.example.test"));
            assertEquals(first.chain(), shown(service, "www.example.test", "http/1.1"));
            assertThrows(TlsError.class, () -> shown(service, "api.example.test", "http/1.1"));
            assertEquals(
                    List.of("www.example.test", "api.example.test"),
                    keeper.kept.getFirst().names());
            var both = issue("www.example.test", "api.example.test");
            var _ = service.reload(configuration("www.example.test, api.example.test"));
            assertEquals(both.chain(), shown(service, "api.example.test", "http/1.1"));
        }
    }

    @Test
    void the_keeper_ends_before_the_requests_do() throws IOException {
        try (var service = start(configuration("www.example.test"))) {
            service.drain();
            assertTrue(keeper.isClosed);
        }
    }

    @Test
    void without_the_artifact_the_error_names_it() {
        var refusal = assertThrows(
                IllegalArgumentException.class, () -> ProxyService.start(configuration("www.example.test")));
        assertTrue(String.valueOf(refusal.getMessage()).contains("millrace-acme"), refusal.toString());
    }
}
