package io.millrace.tls;

import io.millrace.net.Security;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/// The results of a handshake.
final class Handshakes {
    private Handshakes() {}

    static Security security(SSLEngine engine, Optional<String> serverName) {
        var session = engine.getSession();
        var application = Optional.ofNullable(engine.getApplicationProtocol()).filter(name -> !name.isEmpty());
        return new Security(session.getProtocol(), session.getCipherSuite(), serverName, application, peer(session));
    }

    static List<X509Certificate> peer(SSLSession session) {
        try {
            Certificate[] shown = session.getPeerCertificates();
            return Arrays.stream(shown).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException _) {
            return List.of();
        }
    }
}
