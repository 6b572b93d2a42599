package io.millrace.cli;

import java.security.GeneralSecurityException;
import java.security.Provider;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.net.ssl.SSLContext;

/// The providers that implement TLS in this JVM.
final class TlsProviders {
    private TlsProviders() {}

    private interface Finding {
        Provider provider() throws GeneralSecurityException;
    }

    /// For the protocol.
    static String engine() {
        return name(() -> SSLContext.getInstance("TLS").getProvider());
    }

    /// For encryption.
    static String aes() {
        return name(() -> Cipher.getInstance("AES/GCM/NoPadding").getProvider());
    }

    /// For key agreement, which costs most of a handshake.
    static String agreement() {
        return name(() -> KeyAgreement.getInstance("X25519").getProvider());
    }

    private static String name(Finding finding) {
        try {
            var found = finding.provider();
            return found.getName() + " " + found.getVersionStr();
        } catch (GeneralSecurityException e) {
            return "none: " + e.getMessage();
        }
    }
}
