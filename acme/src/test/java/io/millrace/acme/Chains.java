package io.millrace.acme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.shredzone.acme4j.util.CSRBuilder;
import org.shredzone.acme4j.util.CertificateUtils;
import org.shredzone.acme4j.util.KeyPairUtils;

/// Certificates of any life.
final class Chains {
    private static final KeyPair ROOT_KEY = KeyPairUtils.createKeyPair(2048);
    private static final X509Certificate ROOT = CertificateUtils.createTestRootCertificate(
            "CN=root", Instant.EPOCH, Instant.parse("2100-01-01T00:00:00Z"), ROOT_KEY);

    private Chains() {}

    static List<X509Certificate> issue(KeyPair key, List<String> names, Instant from, Instant until) {
        try {
            var request = new CSRBuilder();
            request.addDomains(names);
            request.sign(key);
            return List.of(
                    CertificateUtils.createTestCertificate(request.getCSR(), from, until, ROOT, ROOT_KEY.getPrivate()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
