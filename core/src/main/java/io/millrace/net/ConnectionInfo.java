package io.millrace.net;

import java.net.SocketAddress;
import java.util.Optional;

/// What is known of a connection, whatever the style it is used in.
public interface ConnectionInfo {
    /// Bytes that have come from the kernel so far; with a stage, as they were on the wire. Any thread, and what it
    /// reads may be a moment old.
    long receivedBytes();

    /// Bytes that the kernel has taken so far, as [#receivedBytes].
    long sentBytes();

    /// The peer's address; valid also after the connection has closed. Any thread, without waiting for the loop.
    SocketAddress remote();

    /// This side's address, as [#remote].
    SocketAddress local();

    /// How it is secured; empty for what crosses the wire as it was written, and while that is being settled. Any
    /// thread.
    Optional<Security> security();

    /// The loop that owns this connection.
    Loop loop();

    /// The socket's options, `TCP_NODELAY` and its like.
    Connection.Options options();
}
