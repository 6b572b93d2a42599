package io.millrace.lab;

/// What the servers of a workload speak; with it goes which servers there are.
public enum Protocol {
    /// What came goes back.
    ECHO,
    /// HTTP/1.1.
    HTTP,
    /// HTTP/1.1 over TLS.
    HTTPS,
    /// HTTP/1.1 of a server behind them: they are proxies.
    PROXY
}
