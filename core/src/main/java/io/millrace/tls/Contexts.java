package io.millrace.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// The JDK's contexts: this side's identity, and which certificates it trusts. Each has its own ticket keys, so
/// that a session is resumed only under the context it began with.
final class Contexts {
    private static final TrustManager[] NOBODY = {};

    private Contexts() {}

    /// A server's context, which trusts only these issuers.
    static SSLContext server(TlsIdentity identity, List<X509Certificate> trusted) {
        return of(Optional.of(identity), trusted.isEmpty() ? NOBODY : trust(trusted));
    }

    /// A client's context.
    ///
    /// @param trusted the trusted issuers; empty for those that this JVM trusts
    static SSLContext of(Optional<TlsIdentity> identity, List<X509Certificate> trusted) {
        return of(identity, trusted.isEmpty() ? null : trust(trusted));
    }

    static SSLContext of(Optional<TlsIdentity> identity, TrustManager @Nullable [] trust) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(identity.map(Contexts::keys).orElse(null), trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS: " + e.getMessage(), e);
        }
    }

    private static KeyManager[] keys(TlsIdentity identity) {
        return new KeyManager[] {new OneKey(identity)};
    }

    private static TrustManager[] trust(List<X509Certificate> trusted) {
        try {
            var store = empty();
            for (int i = 0; i < trusted.size(); i++) store.setCertificateEntry("trusted-" + i, trusted.get(i));
            var factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("certificates that cannot be trusted: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return store;
    }
}
