package io.millrace.tls;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.Wording;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// The identity of one side of a connection: a private key, and its certificate chain. Immutable; any thread.
///
/// ```java
/// var identity = TlsIdentity.pem(Path.of("cert.pem"), Path.of("key.pem"));
/// Http.serve(Listen.on(8443).through(Tls.server(identity)), app);
/// ```
/// It is checked when it is made: the key belongs to the first certificate, and each certificate was issued by the
/// next one. An error names the file and the remedy.
public final class TlsIdentity {
    private static final byte[] PROBE = "does the key belong to the certificate?".getBytes(StandardCharsets.US_ASCII);

    private static final Duration NOTICE = Duration.ofDays(14);

    private final PrivateKey key;
    private final List<X509Certificate> chain;

    /// When to warn next, in milliseconds since 1970.
    private final AtomicLong nextWarning = new AtomicLong(Long.MIN_VALUE);

    private TlsIdentity(PrivateKey key, List<X509Certificate> chain, String source) {
        this.key = key;
        this.chain = List.copyOf(chain);
        if (chain.isEmpty()) throw new IllegalArgumentException(source + ": no certificate");
        checkOrder(source);
        checkKey(source);
    }

    /// A given key and its chain, the key's certificate first.
    ///
    /// @throws IllegalArgumentException when they do not belong together
    public static TlsIdentity of(PrivateKey key, List<X509Certificate> chain) {
        return new TlsIdentity(key, chain, "a chain of " + chain.size() + " certificates");
    }

    /// A chain and a key in PEM: PKCS#8, PKCS#1 or SEC1. Both may be one file, which is read once: who replaces it
    /// meanwhile has the old pair taken or the new one.
    ///
    /// @throws IllegalArgumentException when they cannot be used
    /// @throws UncheckedIOException     when a file cannot be read
    public static TlsIdentity pem(Path chain, Path key) {
        return pem(chain, key, Optional.empty());
    }

    /// A chain in PEM and an encrypted key (PKCS#8).
    public static TlsIdentity pem(Path chain, Path key, char[] password) {
        return pem(chain, key, Optional.of(password));
    }

    private static TlsIdentity pem(Path chain, Path key, Optional<char[]> password) {
        var secret = text(key);
        var found = PrivateKeys.of(Pem.all(secret, key.toString()), password, key.toString());
        var open = chain.equals(key) ? secret : text(chain);
        return new TlsIdentity(found, certificates(open, chain), chain + " and " + key);
    }

    /// The only key in a PKCS#12 file (`.p12`, `.pfx`), and its chain.
    ///
    /// @throws IllegalArgumentException when there is none, more than one, or the password is wrong
    /// @throws UncheckedIOException     when the file cannot be read
    public static TlsIdentity pkcs12(Path file, char[] password) {
        try (var in = Files.newInputStream(file)) {
            var store = KeyStore.getInstance("PKCS12");
            load(store, in, file, password);
            var keys = Collections.list(store.aliases()).stream()
                    .filter(alias -> isKey(store, alias))
                    .toList();
            if (keys.size() != 1)
                throw new IllegalArgumentException(file + ": " + keys.size() + " private keys: there must be one");
            var chain = store.getCertificateChain(keys.getFirst());
            if (!(store.getKey(keys.getFirst(), password) instanceof PrivateKey key) || chain == null)
                throw new IllegalArgumentException(file + ": a key that is not private, or has no certificate");
            return new TlsIdentity(key, x509(chain), file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(Wording.of(e), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static void load(KeyStore store, InputStream in, Path file, char[] password)
            throws IOException, GeneralSecurityException {
        try {
            store.load(in, password);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": not a PKCS#12 file, or not its password", e);
        }
    }

    private static boolean isKey(KeyStore store, String alias) {
        try {
            return store.isKeyEntry(alias);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(alias, e);
        }
    }

    private static List<X509Certificate> x509(Certificate[] chain) {
        var found = new ArrayList<X509Certificate>();
        for (var certificate : chain) found.add((X509Certificate) certificate);
        return found;
    }

    /// The certificates of a PEM file, in their order: a chain, or issuers to trust.
    ///
    /// @throws IllegalArgumentException when there is none, or one cannot be read
    /// @throws UncheckedIOException     when the file cannot be read
    public static List<X509Certificate> certificates(Path file) {
        return certificates(text(file), file);
    }

    private static List<X509Certificate> certificates(String text, Path file) {
        var found = new ArrayList<X509Certificate>();
        for (var block : Pem.all(text, file.toString())) {
            if (block.label().equals("CERTIFICATE")) found.add(certificate(block.bytes(), file.toString()));
        }
        if (found.isEmpty()) throw new IllegalArgumentException(file + ": no certificate in PEM");
        return found;
    }

    static X509Certificate certificate(byte[] encoded, String source) {
        try {
            var factory = CertificateFactory.getInstance("X.509");
            return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException e) {
            throw new IllegalArgumentException(source + ": a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(Wording.of(e), e);
        }
    }

    private void checkOrder(String source) {
        for (int i = 1; i < chain.size(); i++) {
            try {
                chain.get(i - 1).verify(chain.get(i).getPublicKey());
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException(
                        source + ": certificate " + i + " (" + name(i - 1) + ") was not issued by the next one ("
                                + name(i) + "): put the server's own first, and after each the one that issued it",
                        e);
            }
        }
    }

    /// Authorities leave out the subject of those that have names of hosts.
    private String name(int at) {
        var subject = chain.get(at).getSubjectX500Principal().getName();
        return subject.isEmpty() ? String.join(", ", HostNames.of(chain.get(at))) : subject;
    }

    /// Checks the key by signing, because a key in hardware shows nothing else.
    private void checkKey(String source) {
        try {
            var algorithm = signature();
            var signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(PROBE);
            var signature = signing.sign();
            var verifying = Signature.getInstance(algorithm);
            verifying.initVerify(chain.getFirst().getPublicKey());
            verifying.update(PROBE);
            if (verifying.verify(signature)) return;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(mismatch(source), e);
        }
        throw new IllegalArgumentException(mismatch(source));
    }

    private String mismatch(String source) {
        return source + ": the private key does not belong to the certificate of " + name(0)
                + ": use the pair that was made together";
    }

    private String signature() {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
    }

    /// An identity for experiments, which no client trusts by default: a new key, and a certificate for these
    /// names, valid for 30 days.
    ///
    /// @param names host names and IP addresses
    public static TlsIdentity selfSigned(String... names) {
        return SelfSigned.identity(List.of(names));
    }

    /// The certificates, the key's own first.
    public List<X509Certificate> chain() {
        return chain;
    }

    /// The host names of the certificate, in lower case: exact ones, and `*.` with a name.
    public List<String> names() {
        return HostNames.of(chain.getFirst());
    }

    PrivateKey key() {
        return key;
    }

    /// When the first of its certificates expires.
    public Instant expires() {
        return chain.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElseThrow();
    }

    /// Warns if it expires in less than 14 days (`tls.expiry`), once a day while it is in use.
    void warnOfExpiry() {
        var expires = expires();
        var now = Instant.now();
        long due = nextWarning.get();
        long next = now.plus(1, ChronoUnit.DAYS).toEpochMilli();
        // One that is due later than that is of a clock that was ahead.
        boolean isTold = now.toEpochMilli() < due && due <= next;
        if (isTold || now.isBefore(expires.minus(NOTICE)) || !nextWarning.compareAndSet(due, next)) return;
        boolean isOver = expires.isBefore(now);
        CoreGuards.TLS_EXPIRY.acted(
                name(0),
                "a certificate of the chain " + (isOver ? "expired" : "expires") + " at " + expires + ": "
                        + "renew it");
    }

    /// Whether both have the same key and the same chain.
    @Override
    public boolean equals(Object other) {
        return other instanceof TlsIdentity that && key.equals(that.key) && chain.equals(that.chain);
    }

    @Override
    public int hashCode() {
        return chain.hashCode();
    }

    /// The chain in PEM, for peers that should trust it.
    public String toPem() {
        var text = new StringBuilder();
        for (var certificate : chain) text.append(Pem.text("CERTIFICATE", encoded(certificate)));
        return text.toString();
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return name(0) + ", until " + expires();
    }
}
