package io.millrace.net;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.net.SocketAddress;

/// A connected socket in direct style: used by one thread at a time, usually the virtual thread its [Session]
/// runs on. Only [#abort] may be called from any thread.
///
/// Failures are thrown where they happen, as [NetException]s; a timeout is one of them. When the thread is
/// interrupted while it waits here, the connection is aborted and an [java.io.InterruptedIOException] is thrown.
public interface BlockingConnection extends AutoCloseable {
    /// Sends what was written, then waits until bytes arrive that were not offered before, and lends them
    /// together with what was left unread.
    ///
    /// @return false when the peer has ended and everything it sent was offered
    boolean read() throws IOException;

    /// What has arrived: lent until the next [#read].
    Input input();

    /// Where to write. It leaves at [#flush], when a [#read] has to wait, when the session returns, and above the
    /// high watermark, which waits until there is room.
    Output output();

    /// Sends what was written; waits while more than the high watermark is unsent.
    void flush() throws IOException;

    /// Sends what was written, then tells the peer that nothing more follows (half-close); reading goes on.
    void end() throws IOException;

    /// Sends what was written, then closes; does not wait for it. When the session returns this happens by
    /// itself.
    @Override
    void close();

    /// Drops the connection now, with what was not sent.
    void abort();

    SocketAddress remote();

    SocketAddress local();

    /// The loop that owns this connection.
    Loop loop();

    Connection.Options options();
}
