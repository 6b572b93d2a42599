package io.millrace.lab;

/// The protocol of a workload's servers, which decides what servers there are.
public enum Protocol {
    /// Bytes are sent back as they came.
    ECHO,
    /// HTTP/1.1.
    HTTP,
    /// HTTP/1.1 over TLS.
    HTTPS,
    /// HTTP/2, in clear text or over TLS.
    HTTP2,
    /// WebSockets whose messages come back.
    WEBSOCKET,
    /// WebSockets whose messages go to all.
    BROADCAST,
    /// Proxies for HTTP/1.1, in front of a server.
    PROXY,
    /// Proxies for clients that speak HTTP/2, in front of a server that speaks HTTP/1.1.
    HTTP2_PROXY
}
