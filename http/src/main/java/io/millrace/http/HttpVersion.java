package io.millrace.http;

import io.millrace.tls.TlsClient;
import java.util.List;

/// Which version of HTTP a client speaks with a server.
public enum HttpVersion {
    /// Over TLS what the server chooses (ALPN), which is HTTP/2 if it can; in clear text HTTP/1.1.
    NEGOTIATED,
    /// HTTP/1.1, over TLS and in clear text.
    HTTP_1_1,
    /// HTTP/2, over TLS and in clear text; the server is known to speak it ("prior knowledge", RFC 9113 section 3.3).
    HTTP_2;

    /// What a client offers over TLS (ALPN), the preferred one first.
    public List<String> applicationProtocols() {
        return switch (this) {
            case NEGOTIATED -> List.of("h2", "http/1.1");
            case HTTP_1_1 -> List.of("http/1.1");
            case HTTP_2 -> List.of("h2");
        };
    }

    /// The same TLS, offering these protocols unless it names some itself.
    public TlsClient over(TlsClient tls) {
        return tls.speaking().isEmpty() ? tls.speaking(applicationProtocols().toArray(String[]::new)) : tls;
    }
}
