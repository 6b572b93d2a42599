package io.millrace.http;

/// Which version of HTTP a client speaks with a server.
public enum HttpVersion {
    /// Over TLS what the server chooses (ALPN), which is HTTP/2 if it can; in clear text HTTP/1.1.
    NEGOTIATED,
    /// HTTP/1.1, over TLS and in clear text.
    HTTP_1_1,
    /// HTTP/2, over TLS and in clear text; the server is known to speak it ("prior knowledge", RFC 9113 section 3.3).
    HTTP_2
}
