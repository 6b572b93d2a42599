package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.process.ServerProcess;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Trust;
import io.millrace.tls.TlsIdentity;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsReferencesTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /// What is not installed is skipped; Go's is compiled, which [ReferencesTest] does.
    @ParameterizedTest
    @CsvSource({"nginx, ECDSA, EC", "haproxy, ECDSA, EC", "nginx, RSA, RSA"})
    void answers_over_tls_with_the_key_it_is_given(String name, KeyKind kind, String algorithm, @TempDir Path home)
            throws Exception {
        var reference = TlsReferences.of(home).stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        assumeTrue(reference.unavailableBecause().isEmpty(), reference.unavailableBecause());
        var identity = Identity.make(kind, "127.0.0.1");
        var trusted = TlsIdentity.certificates(identity.chain());
        assertEquals(algorithm, trusted.getFirst().getPublicKey().getAlgorithm());
        var command = reference.recipe().command(PeerSite.at("127.0.0.1").as(identity));
        try (var running = ServerProcess.start(command, List.of(), PATIENCE);
                var client = HttpClient.newBuilder()
                        .sslContext(Trust.in(trusted.getFirst()))
                        .build()) {
            var uri = URI.create("https://127.0.0.1:" + running.address().getPort() + "/plaintext");
            var response = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            assertEquals("Hello, World!", response.body());
            assertEquals(trusted, List.of(response.sslSession().orElseThrow().getPeerCertificates()));
        }
    }
}
