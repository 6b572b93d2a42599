package io.millrace.lab;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// The identity of TLS servers: a key and its self-signed certificate, in a folder, in the formats that servers
/// need. In PEM: `chain.pem`, `key.pem`, and `both.pem`; in PKCS#12: `identity.p12`.
final class Identity {
    /// Of the file in PKCS#12, which some servers do not read without one.
    private static final String PASSWORD = "millrace";

    private static final String ALIAS = "server";
    private static final int PATIENCE_SECONDS = 60;

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
            var key = pem(
                    "PRIVATE KEY", loaded.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
            var chain = pem("CERTIFICATE", loaded.getCertificate(ALIAS).getEncoded());
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

    private static String pem(String what, byte[] der) {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }
}
