package io.millrace.proxy.configuration;

/// What the Host field of a forwarded request says.
public sealed interface HostPolicy {
    HostPolicy KEEP = new Keep();

    /// What the client said.
    record Keep() implements HostPolicy {}

    /// The address of the backend, as the configuration has it.
    record BackendAddress() implements HostPolicy {}

    /// Always the same.
    record Rewrite(String host) implements HostPolicy {}
}
