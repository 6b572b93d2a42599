package io.millrace.tls;

import java.util.List;
import javax.net.ssl.SSLParameters;

/// What is negotiated: versions and ciphers that are good today, and of those what this JVM has.
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
    /// @throws IllegalArgumentException for one that is none
    static List<String> checked(String... applications) {
        for (var name : applications) {
            if (name.isEmpty() || name.length() > 255)
                throw new IllegalArgumentException('"' + name + "\" is no application protocol: take \"h2\"");
        }
        return List.of(applications);
    }

    /// @param has the ciphers of the context: another provider may know fewer
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
