package io.millrace.cli;

import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;

/// A TLS client that trusts everybody, at any time, and remembers whom.
final class CredulousClient implements X509TrustManager {
    private volatile Optional<X509Certificate> seen = Optional.empty();

    SSLContext context() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new X509TrustManager[] {this}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// What the last server showed, in a handshake that resumed none.
    Optional<X509Certificate> seen() {
        return seen;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
        seen = Optional.of(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
        throw new UnsupportedOperationException("it is a client itself");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
