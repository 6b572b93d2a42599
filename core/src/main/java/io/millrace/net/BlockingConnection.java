package io.millrace.net;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;

/// A connected socket in direct style. A server's connection is used by the virtual thread its [Session] runs on; a
/// client's by one thread at a time, which calls [#flush] or [#read] last before it passes the connection to
/// another. Any other thread gets an [IllegalStateException]; only [#write], [#abort] and [#close] may be called
/// from any thread.
///
/// Failures are thrown where they happen, as [NetException]s; a timeout is one of them. When the thread is
/// interrupted while it waits here, the connection is aborted and an [java.io.InterruptedIOException] is thrown.
public interface BlockingConnection extends ConnectionInfo, AutoCloseable {
    /// Sends what was written, waits until new bytes arrive, and lends them together with what was left unread.
    ///
    /// @return false when the peer has ended and everything it sent was offered
    boolean read() throws IOException;

    /// What has arrived: lent until the next [#read].
    Input input();

    /// Where to write. Output is sent at [#flush], when a [#read] has to wait, when the session returns, and above
    /// the high watermark, where writing waits for room.
    Output output();

    /// Sends a value, from any thread and at any moment: all of it in one piece, after what the same thread has
    /// written before. The connection's own thread, which is the session's, or the one that made the connection or
    /// waited here last, writes to the [#output], and may have to wait there. Other threads never wait: their value
    /// is sent when the connection's own thread next waits here. Until then it counts against the output limit,
    /// with 144 bytes more than its length.
    ///
    /// @return false when the value is not sent: the connection has ended or closed, or is dropped now as
    ///         [io.millrace.net.Overloaded] because more than its output limit is unsent
    boolean write(Bytes bytes);

    /// Sends what was written; waits while more than the high watermark is unsent.
    void flush() throws IOException;

    /// Sends what was written, then tells the peer that nothing more follows (half-close); reading goes on.
    void end() throws IOException;

    /// Sends what was written, then closes; does not wait for that. A session that returns closes by itself. When
    /// another thread calls this, the thread that waits for the connection gets an exception, and what it has
    /// passed on is sent before the close.
    @Override
    void close();

    /// Drops the connection now, with its unsent output.
    void abort();
}
