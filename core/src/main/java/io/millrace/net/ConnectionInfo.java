package io.millrace.net;

import java.net.SocketAddress;
import java.util.Optional;

/// What is known about a connection, in either style.
public interface ConnectionInfo {
    /// How many bytes the kernel has delivered so far; with a stage, as they were on the wire. Any thread; the
    /// number may be a moment old.
    long receivedBytes();

    /// How many bytes the kernel has taken so far, as [#receivedBytes].
    long sentBytes();

    /// The peer's address; valid also after the connection has closed. Any thread, without waiting for the loop.
    SocketAddress remote();

    /// This side's address, as [#remote].
    SocketAddress local();

    /// How it is secured; empty for plain text, and until a handshake is done. Any thread.
    Optional<Security> security();

    /// The loop that owns this connection.
    Loop loop();

    /// The socket's options, such as `TCP_NODELAY`.
    Connection.Options options();
}
