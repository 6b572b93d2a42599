package io.millrace.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Machine;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Keys and certificates as `openssl` makes them.
class TlsIdentityTest {
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ecparam -name prime256v1 -genkey -out key.pem",
                "ecparam -name secp384r1 -genkey -noout -out key.pem",
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem",
                "genrsa -traditional -out key.pem 2048",
                "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem",
                "genpkey -algorithm ED25519 -out key.pem"
            })
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
        assertRefused("there is no password for it", () -> TlsIdentity.pem(file("a.crt"), file("key.pem")));
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
        assertRefused("this is not its password", () -> TlsIdentity.pkcs12(file("a.p12"), "wrong".toCharArray()));
        assertRefused("no PKCS#12 file", () -> TlsIdentity.pkcs12(file("a.crt"), "secret".toCharArray()));
    }

    @Test
    void errors_name_the_file_and_the_remedy() throws Exception {
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem");
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "other.pem");
        certificate("key.pem", "a");
        certificate("other.pem", "b");
        assertRefused(
                "the private key does not belong to the certificate of CN=a: take the pair that was made together",
                () -> TlsIdentity.pem(file("a.crt"), file("other.pem")));
        Files.writeString(file("chain.pem"), text(file("a.crt")) + text(file("b.crt")));
        assertRefused(
                "certificate 1 (CN=a) was not issued by the one behind it (CN=b)",
                () -> TlsIdentity.pem(file("chain.pem"), file("key.pem")));
        assertRefused("no certificate in PEM", () -> TlsIdentity.pem(file("key.pem"), file("key.pem")));
        assertRefused("0 private keys", () -> TlsIdentity.pem(file("a.crt"), file("a.crt")));
        var whole = text(file("a.crt"));
        Files.writeString(file("cut.pem"), whole.substring(0, whole.length() - 40));
        assertRefused("is it cut?", () -> TlsIdentity.pem(file("cut.pem"), file("key.pem")));
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
}
