package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// What an operator has of a server: a certificate and its key, as `openssl` writes them.
public record PemFiles(Path chain, Path key) {
    /// New ones, which nobody has signed but themselves, for these hosts.
    public static PemFiles make(Path folder, String name, String... hosts) throws IOException {
        if (Machine.program(List.of("openssl")).isEmpty()) throw Machine.lacks("there is no openssl on the PATH");
        var made = new PemFiles(folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
        var names = Arrays.stream(hosts).map(PemFiles::alternative).collect(Collectors.joining(","));
        var openssl = new ProcessBuilder("openssl", "req", "-x509", "-nodes", "-days", "30").redirectErrorStream(true);
        openssl.command().addAll(List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"));
        openssl.command().addAll(List.of("-subj", "/CN=" + hosts[0], "-addext", "subjectAltName=" + names));
        openssl.command().addAll(List.of("-keyout", made.key.toString(), "-out", made.chain.toString()));
        var process = openssl.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.onExit().join().exitValue(), said);
        return made;
    }

    private static String alternative(String host) {
        return (Character.isDigit(host.charAt(0)) ? "IP:" : "DNS:") + host;
    }

    /// The certificate in them.
    X509Certificate certificate() throws IOException, CertificateException {
        try (var in = Files.newInputStream(chain)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /// Has these files be what those are.
    public void become(PemFiles other) throws IOException {
        Files.copy(other.chain, chain, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(other.key, key, StandardCopyOption.REPLACE_EXISTING);
    }
}
