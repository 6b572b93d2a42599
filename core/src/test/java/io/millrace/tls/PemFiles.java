package io.millrace.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The files that an operator has of an identity.
public record PemFiles(Path chain, Path key) {
    public static PemFiles in(Path folder) {
        return new PemFiles(folder.resolve("chain.pem"), folder.resolve("key.pem"));
    }

    /// Has the files be of this identity.
    public PemFiles write(TlsIdentity identity) throws IOException {
        Files.writeString(chain, identity.toPem());
        Files.writeString(key, keyOf(identity));
        return this;
    }

    public static String keyOf(TlsIdentity identity) {
        return Pem.text("PRIVATE KEY", identity.key().getEncoded());
    }
}
