package io.millrace.proxy.configuration;

/// Which event loop a connection to a backend lives on.
public enum UpstreamLoops {
    /// That of the client's connection.
    SAME,
    /// One of those that serve clients.
    SHARED,
    /// One of a group of its own.
    OWN
}
