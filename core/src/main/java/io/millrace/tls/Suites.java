package io.millrace.tls;

import java.util.List;
import javax.net.ssl.SSLParameters;

/// What is negotiated: the versions and ciphers that are considered secure, as far as this JVM has them.
final class Suites {
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private Suites() {}

    /// Names of application protocols (RFC 7301 section 3.1).
    ///
    /// @throws IllegalArgumentException for an invalid name
    static List<String> checked(String... applications) {
        for (var name : applications) {
            if (name.isEmpty() || name.length() > 255)
                throw new IllegalArgumentException(
                        '"' + name + "\" is not an application protocol: take \"h2\", for " + "example");
        }
        return List.of(applications);
    }

    /// @param has the context's ciphers: another provider may know fewer
    static SSLParameters parameters(String[] has, List<String> applications) {
        var parameters = new SSLParameters();
        var known = List.of(has);
        parameters.setProtocols(VERSIONS);
        parameters.setCipherSuites(CIPHERS.stream().filter(known::contains).toArray(String[]::new));
        parameters.setUseCipherSuitesOrder(true);
        parameters.setApplicationProtocols(applications.toArray(String[]::new));
        return parameters;
    }
}
