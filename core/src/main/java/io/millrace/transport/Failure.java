package io.millrace.transport;

/// How an operation failed, independent of the transport.
public enum Failure {
    REFUSED,
    RESET,
    TIMED_OUT,
    /// The process or the system has no descriptor, buffer or port left.
    NO_RESOURCES,
    OTHER
}
