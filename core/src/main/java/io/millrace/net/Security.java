package io.millrace.net;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// How a connection is secured, as a [Stage] that does so found when it was ready.
///
/// @param protocol            its version: `TLSv1.3`; `TLS` where it is passed on as it is
/// @param cipher              the cipher suite, by the name that IANA knows: `TLS_AES_128_GCM_SHA256`; empty where it
///     is passed on
/// @param serverName          the name of the server that the client asked for (SNI, RFC 6066 section 3), in lower
///     case
/// @param applicationProtocol what both sides speak (ALPN, RFC 7301): `h2`
/// @param peerCertificates    of the peer, its own one first, as verified; empty when it showed none
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
