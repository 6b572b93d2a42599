package io.millrace.lab.peer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Who a server over TLS is: a folder with its key and certificate, in PEM and in PKCS#12.
public record Identity(Path folder) {
    /// Of the file in PKCS#12.
    public static final String PASSWORD = "millrace";

    /// The certificate, in PEM.
    public File chain() {
        return folder.resolve("chain.pem").toFile();
    }

    /// The private key, in PEM.
    public File key() {
        return folder.resolve("key.pem").toFile();
    }

    /// Both, in PKCS#12.
    public KeyStore store() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(folder.resolve("identity.p12").toFile(), PASSWORD.toCharArray());
    }

    /// A context of the JDK with that.
    public SSLContext context() throws GeneralSecurityException, IOException {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store(), PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
