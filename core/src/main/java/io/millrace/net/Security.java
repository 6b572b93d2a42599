package io.millrace.net;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// How a connection is secured, as its securing [Stage] found when it was ready.
///
/// @param protocol            the protocol's version, such as `TLSv1.3`; `TLS` for a connection that is passed
///     through undecrypted
/// @param cipher              the cipher suite by its IANA name, such as `TLS_AES_128_GCM_SHA256`; empty for one
///     passed through
/// @param serverName          the name of the server that the client asked for (SNI, RFC 6066 section 3), in lower
///     case
/// @param applicationProtocol the negotiated protocol (ALPN, RFC 7301), such as `h2`
/// @param peerCertificates    the peer's verified certificates, its own first; empty when it sent none
public record Security(
        String protocol,
        String cipher,
        Optional<String> serverName,
        Optional<String> applicationProtocol,
        List<X509Certificate> peerCertificates) {
    public Security {
        peerCertificates = List.copyOf(peerCertificates);
    }
}
