package io.millrace;

/// The kernel interface that event loops use.
public enum TransportKind {
    /// The best that works here, found by trying; one log line says which, and why.
    AUTO,
    /// Linux io_uring.
    URING,
    /// Linux epoll, without a native library.
    EPOLL,
    /// The JDK's selectors, on any system.
    NIO;

    /// The name used in options, such as `epoll`.
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
