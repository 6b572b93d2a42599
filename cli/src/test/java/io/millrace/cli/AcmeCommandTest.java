package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Tcp;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.Pebble;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `millrace proxy --config` with a certificate of an authority, seen from outside its process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class AcmeCommandTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.of(1);

    @AfterEach
    void stop() {
        loops.close();
    }

    private static String file(Pebble pebble, int plain, int secure, String challenge, String names) {
        return """
                listeners:
                  plain:
                    address: 127.0.0.1:%d
                    access: {allow: [192.0.2.0/24]}
                  secure:
                    address: 127.0.0.1:%d
                    tls:
                      certificates:
                        - acme:
                            names: [%s]
                            contact: ops@example.org
                            directory: %s
                            authorities: %s
                            challenge: %s
                            storage: kept
                            terms-agreed: true
                routes:
                  all: {redirect: {to: 'https://{host}{path}'}}
                runtime: {loops: 1}
                """.formatted(plain, secure, names, pebble.directory(), pebble.authorities(), challenge);
    }

    /// The names of the certificate that a client is shown.
    private Optional<List<String>> shown(int port) throws CertificateParsingException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var client = Tls.client("www.example.org").insecurely().speaking("http/1.1");
        try (var conn = Tcp.connect(Connect.to(address).loops(loops).through(client))) {
            var leaf = conn.security().orElseThrow().peerCertificates().getFirst();
            return Optional.of(leaf.getSubjectAlternativeNames().stream()
                    .flatMap(Collection::stream)
                    .filter(String.class::isInstance)
                    .map(String.class::cast)
                    .sorted()
                    .toList());
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private void awaitNames(int port, List<String> names) throws CertificateParsingException {
        while (!shown(port).equals(Optional.of(names))) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            Waiting.briefly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-01", "tls-alpn-01"})
    void obtains_a_certificate_and_another_one_for_a_name_that_is_added(String challenge) throws Exception {
        int plain = Machine.freePort();
        int secure = Machine.freePort();
        try (var pebble = Pebble.start(folder, plain, secure, "")) {
            var config = folder.resolve("proxy.yaml");
            Files.writeString(config, file(pebble, plain, secure, challenge, "www.example.org"));
            try (var proxy = Program.start("proxy", "--config", config.toString())) {
                var _ = proxy.listening();
                var _ = proxy.listening();
                awaitNames(secure, List.of("www.example.org"));
                Files.writeString(config, file(pebble, plain, secure, challenge, "www.example.org, api.example.org"));
                awaitNames(secure, List.of("api.example.org", "www.example.org"));
                proxy.terminate();
                assertEquals(0, proxy.exitCode(), proxy::err);
                var said = proxy.err();
                assertTrue(said.contains("there is no certificate for www.example.org yet"), said);
                assertTrue(said.contains("the certificate for www.example.org was issued"), said);
                assertTrue(!said.contains("SLF4J") && !said.contains("WARNING"), said);
            }
        }
    }
}
