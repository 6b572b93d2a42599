package io.millrace.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Keys and certificates as `openssl` makes them.
@Tag("slow")
class TlsIdentityTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final byte[] SIGNED = {1, 2, 3};

    /// In which a key is broken at random.
    private static final int ROUNDS = 200;

    @TempDir
    Path folder;

    @BeforeEach
    void opensslIsThere() {
        if (Machine.program(List.of("openssl")).isEmpty()) throw Machine.lacks("there is no openssl on the PATH");
    }

    private void openssl(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        var log = folder.resolve("log").toFile();
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        assertEquals(0, process.waitFor(), () -> command + ": " + text(log.toPath()));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private void certificate(String key, String name) throws Exception {
        openssl("req", "-x509", "-key", key, "-subj", "/CN=" + name, "-days", "3", "-out", name + ".crt");
    }

    @Test
    void a_certificate_without_a_subject_is_called_by_its_hosts() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem");
        certificate("key.pem", "ca");
        Files.writeString(file("hosts"), "subjectAltName=critical,DNS:www.example.org,DNS:example.org");
        openssl("req", "-new", "-key", "key.pem", "-subj", "/", "-out", "wanted.pem");
        openssl("x509 -req -in wanted.pem -CA ca.crt -CAkey key.pem -CAcreateserial -extfile hosts -out cert.pem"
                .split(" ", -1));
        var identity = TlsIdentity.pem(file("cert.pem"), file("key.pem"));
        assertTrue(identity.toString().startsWith("www.example.org, example.org, until "), identity::toString);
    }

    private static List<String> kinds() {
        return List.of(
                "ecparam -name prime256v1 -genkey -out key.pem",
                "ecparam -name secp384r1 -genkey -noout -out key.pem",
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem",
                "genrsa -traditional -out key.pem 2048",
                "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem",
                "genpkey -algorithm ED25519 -out key.pem");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void keys_of_all_kinds_are_read(String command) throws Exception {
        openssl(command.split(" ", -1));
        certificate("key.pem", "a");
        var identity = TlsIdentity.pem(file("a.crt"), file("key.pem"));
        assertEquals(
                "CN=a", identity.chain().getFirst().getSubjectX500Principal().getName());
        // Both may be one file.
        Files.writeString(file("both.pem"), text(file("key.pem")) + text(file("a.crt")));
        assertEquals(
                identity.chain(),
                TlsIdentity.pem(file("both.pem"), file("both.pem")).chain());
    }

    /// Which another one may replace between two readings. A pipe can be read once.
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void one_file_of_both_is_read_once() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem");
        certificate("key.pem", "a");
        var both = text(file("key.pem")) + text(file("a.crt"));
        assertEquals(
                0, new ProcessBuilder("mkfifo", file("pipe").toString()).start().waitFor());
        Thread.ofVirtual().start(() -> write(file("pipe"), both));
        var identity = TlsIdentity.pem(file("pipe"), file("pipe"));
        assertEquals(TlsIdentity.certificates(file("a.crt")), identity.chain());
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.WRITE);
        } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void an_encrypted_key_needs_its_password() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "plain.pem");
        openssl("pkcs8", "-topk8", "-in", "plain.pem", "-passout", "pass:secret", "-out", "key.pem");
        certificate("plain.pem", "a");
        assertEquals(
                1,
                TlsIdentity.pem(file("a.crt"), file("key.pem"), "secret".toCharArray())
                        .chain()
                        .size());
        assertRefused("no password was given", () -> TlsIdentity.pem(file("a.crt"), file("key.pem")));
        assertRefused(
                "is that the password of",
                () -> TlsIdentity.pem(file("a.crt"), file("key.pem"), "wrong".toCharArray()));
    }

    @Test
    void a_store_of_pkcs12_has_both() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem");
        certificate("key.pem", "a");
        openssl("pkcs12", "-export", "-inkey", "key.pem", "-in", "a.crt", "-passout", "pass:secret", "-out", "a.p12");
        var expected = TlsIdentity.pem(file("a.crt"), file("key.pem")).chain();
        assertEquals(
                expected,
                TlsIdentity.pkcs12(file("a.p12"), "secret".toCharArray()).chain());
        assertRefused("or not its password", () -> TlsIdentity.pkcs12(file("a.p12"), "wrong".toCharArray()));
        assertRefused("not a PKCS#12 file", () -> TlsIdentity.pkcs12(file("a.crt"), "secret".toCharArray()));
    }

    @Test
    void errors_name_the_file_and_the_remedy() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem");
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "other.pem");
        certificate("key.pem", "a");
        certificate("other.pem", "b");
        assertRefused(
                "the private key does not belong to the certificate of CN=a: use the pair that was made together",
                () -> TlsIdentity.pem(file("a.crt"), file("other.pem")));
        Files.writeString(file("chain.pem"), text(file("a.crt")) + text(file("b.crt")));
        assertRefused(
                "certificate 1 (CN=a) was not issued by the next one (CN=b)",
                () -> TlsIdentity.pem(file("chain.pem"), file("key.pem")));
        assertRefused("no certificate in PEM", () -> TlsIdentity.pem(file("key.pem"), file("key.pem")));
        assertRefused("0 private keys", () -> TlsIdentity.pem(file("a.crt"), file("a.crt")));
        var whole = text(file("a.crt"));
        Files.writeString(file("cut.pem"), whole.substring(0, whole.length() - 40));
        assertRefused("is the file truncated?", () -> TlsIdentity.pem(file("cut.pem"), file("key.pem")));
        var missing =
                assertThrows(UncheckedIOException.class, () -> TlsIdentity.pem(file("missing.pem"), file("key.pem")));
        assertTrue(String.valueOf(missing.getMessage()).startsWith("there is no file "), missing.toString());
    }

    private static void assertRefused(String why, Runnable reading) {
        var refusal = assertThrows(IllegalArgumentException.class, reading::run);
        assertTrue(String.valueOf(refusal.getMessage()).contains(why), refusal.toString());
    }

    @Test
    void others_can_read_what_it_makes() throws Exception {
        var identity = TlsIdentity.selfSigned("localhost", "127.0.0.1", "::1");
        Files.writeString(file("self.pem"), identity.toPem());
        openssl("x509", "-in", "self.pem", "-noout", "-checkhost", "localhost", "-checkend", "2000000");
        openssl("verify", "-CAfile", "self.pem", "self.pem");
        openssl("x509", "-in", "self.pem", "-noout", "-text");
        var told = text(file("log"));
        assertTrue(told.contains("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"), told);
    }

    @Test
    void names_are_matched_by_whole_labels() {
        var certificate = TlsIdentity.selfSigned("a.test", "*.b.test", "192.0.2.1")
                .chain()
                .getFirst();
        for (var name : List.of("a.test", "A.TEST", "x.b.test", "192.0.2.1"))
            assertTrue(HostNames.isOf(certificate, name), name);
        for (var name : List.of("b.test", "x.y.b.test", "x.a.test", "192.0.2.2", ".b.test", "1.2.0.192"))
            assertEquals(false, HostNames.isOf(certificate, name), name);
    }

    // Broken ones.

    @ParameterizedTest
    @MethodSource("kinds")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_broken_key_is_refused(String command) throws Exception {
        openssl(command.split(" ", -1));
        certificate("key.pem", "a");
        assertBrokenOnesAreRefused(key -> TlsIdentity.pem(file("a.crt"), key));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_broken_key_that_is_encrypted_is_refused() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "plain.pem");
        openssl("pkcs8", "-topk8", "-in", "plain.pem", "-passout", "pass:secret", "-out", "key.pem");
        certificate("plain.pem", "a");
        assertBrokenOnesAreRefused(key -> TlsIdentity.pem(file("a.crt"), key, "secret".toCharArray()));
    }

    private void assertBrokenOnesAreRefused(Function<Path, TlsIdentity> reading) throws Exception {
        var whole = text(file("key.pem")).strip();
        var random = new Random(11);
        for (int i = whole.indexOf('\n'); i >= 0; i = whole.indexOf('\n', i + 1))
            for (int length : new int[] {i, i + 1}) assertCutIsRefused(reading, whole, length);
        for (int i = 0; i < ROUNDS; i++) assertCutIsRefused(reading, whole, random.nextInt(whole.length()));
        var blocks = Pem.all(whole, "key.pem");
        var key = blocks.removeLast();
        var front = blocks.stream()
                .map(block -> Pem.text(block.label(), block.bytes()))
                .collect(Collectors.joining());
        for (int i = 0; i < ROUNDS; i++) {
            var text = flipped(whole.getBytes(ISO_8859_1), random);
            assertIsRefusedOrAsGood(reading, new String(text, ISO_8859_1));
            // Most of what is broken in base64 is no DER any more.
            assertIsRefusedOrAsGood(reading, front + Pem.text(key.label(), flipped(key.bytes(), random)));
        }
    }

    private void assertCutIsRefused(Function<Path, TlsIdentity> reading, String whole, int length) throws Exception {
        Files.writeString(file("broken.pem"), whole.substring(0, length));
        assertRefused(file("broken.pem").toString(), () -> broken(reading));
    }

    private TlsIdentity broken(Function<Path, TlsIdentity> reading) {
        return reading.apply(file("broken.pem"));
    }

    /// One bit in each of one to three bytes.
    private static byte[] flipped(byte[] whole, Random random) {
        var broken = whole.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--)
            broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
        return broken;
    }

    /// What is broken may be of no use: the public key beside the private one, or the end of a line.
    private void assertIsRefusedOrAsGood(Function<Path, TlsIdentity> reading, String broken) throws Exception {
        Files.writeString(file("broken.pem"), broken, ISO_8859_1);
        try {
            assertTrue(signs(broken(reading).key()), broken);
        } catch (IllegalArgumentException refusal) {
            var why = String.valueOf(refusal.getMessage());
            assertTrue(why.contains(file("broken.pem").toString()), () -> why + " says not where:\n" + broken);
        } catch (Exception other) {
            throw new AssertionError(broken, other);
        }
    }

    /// For the certificate of the whole one.
    private boolean signs(PrivateKey key) throws GeneralSecurityException {
        var certified = TlsIdentity.certificates(file("a.crt")).getFirst().getPublicKey();
        var algorithm = switch (certified.getAlgorithm()) {
            case "EC" -> "SHA384withECDSA";
            case "RSA" -> "SHA384withRSA";
            default -> "Ed25519";
        };
        var signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(SIGNED);
        var verifying = Signature.getInstance(algorithm);
        verifying.initVerify(certified);
        verifying.update(SIGNED);
        return verifying.verify(signing.sign());
    }
}
