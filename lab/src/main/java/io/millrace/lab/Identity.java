package io.millrace.lab;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/// The identity of TLS servers: a key and its self-signed certificate, in a folder, in the formats that servers
/// need. In PEM: `chain.pem`, `key.pem`, and `both.pem`; in PKCS#12: `identity.p12`.
final class Identity {
    /// Of the file in PKCS#12, which some servers do not read without one.
    private static final String PASSWORD = "millrace";

    private static final String ALIAS = "server";
    private static final int PATIENCE_SECONDS = 60;

    /// What stands in front of the number in the file of a key on this curve.
    private static final String P_256 = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420";

    private final Path folder;

    private Identity(Path folder) {
        this.folder = folder;
    }

    /// Makes one in a folder of its own, which is gone with this process.
    ///
    /// @param host the address of the servers
    static Identity make(KeyKind kind, String host) throws IOException, InterruptedException {
        var identity = new Identity(Files.createTempDirectory("millrace-identity-"));
        identity.folder.toFile().deleteOnExit();
        var store = identity.fresh("identity.p12");
        makeStore(store, kind, host);
        identity.writePem(store);
        return identity;
    }

    Path folder() {
        return folder;
    }

    /// The certificate, for clients to trust.
    Path chain() {
        return folder.resolve("chain.pem");
    }

    private void writePem(Path store) throws IOException {
        try {
            var loaded = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            var certificate = loaded.getCertificate(ALIAS);
            var key = pem(
                    "PRIVATE KEY", encoded(loaded.getKey(ALIAS, PASSWORD.toCharArray()), certificate.getPublicKey()));
            var chain = pem("CERTIFICATE", certificate.getEncoded());
            Files.writeString(fresh("key.pem"), key);
            Files.writeString(fresh("chain.pem"), chain);
            Files.writeString(fresh("both.pem"), chain + key);
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate for TLS cannot be read: " + e.getMessage(), e);
        }
    }

    private Path fresh(String name) {
        var file = folder.resolve(name);
        file.toFile().deleteOnExit();
        return file;
    }

    private static void makeStore(Path file, KeyKind kind, String host) throws IOException, InterruptedException {
        var words = new ArrayList<>(List.of(
                OwnJvm.java().resolveSibling("keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:" + host,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString()));
        words.addAll(kind.options());
        Compilation.run("keytool", words, PATIENCE_SECONDS);
    }

    /// In PKCS#8. A key on P-256 holds the public one, too, as OpenSSL writes it (RFC 5915): the JDK leaves that out,
    /// and rustls does not read it then.
    private static byte[] encoded(Key secret, PublicKey open) {
        if (!(secret instanceof ECPrivateKey)) return secret.getEncoded();
        var number = HexFormat.of().formatHex(secret.getEncoded()).substring(2 * (secret.getEncoded().length - 32));
        var point = HexFormat.of().formatHex(open.getEncoded()).substring(2 * (open.getEncoded().length - 65));
        return HexFormat.of().parseHex(P_256 + number + "a144034200" + point);
    }

    private static String pem(String what, byte[] der) {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }
}
