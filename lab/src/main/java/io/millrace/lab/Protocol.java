package io.millrace.lab;

/// The protocol of a workload's servers, which decides what servers there are.
public enum Protocol {
    /// Bytes are sent back as they came.
    ECHO,
    /// HTTP/1.1.
    HTTP,
    /// HTTP/1.1 over TLS.
    HTTPS,
    /// Proxies for HTTP/1.1, in front of a server.
    PROXY
}
