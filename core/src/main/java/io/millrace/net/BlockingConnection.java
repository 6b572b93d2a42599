package io.millrace.net;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;

/// A connected socket in direct style. One of a server is used by the virtual thread its [Session] runs on; one of a
/// client by one thread at a time, and a thread that hands it on to another ends with [#flush] or [#read]. Any other
/// thread gets an [IllegalStateException]; only [#write], [#abort] and [#close] may be called from any.
///
/// Failures are thrown where they happen, as [NetException]s; a timeout is one of them. When the thread is
/// interrupted while it waits here, the connection is aborted and an [java.io.InterruptedIOException] is thrown.
public interface BlockingConnection extends ConnectionInfo, AutoCloseable {
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

    /// Sends a value, from any thread and at any moment: all of it in one piece, behind what the same thread has
    /// written before. The connection's own thread, which is the session's, or the one that made the connection or
    /// waited here last, writes to the [#output], and waits as that does. Other threads never wait: their value
    /// leaves when the connection's own thread next waits here, and counts against the output limit meanwhile, as
    /// 144 bytes more than it has.
    ///
    /// @return false when nothing is sent any more: it has ended or closed, or is dropped now as
    ///         [io.millrace.net.Overloaded] because more than its output limit is unsent
    boolean write(Bytes bytes);

    /// Sends what was written; waits while more than the high watermark is unsent.
    void flush() throws IOException;

    /// Sends what was written, then tells the peer that nothing more follows (half-close); reading goes on.
    void end() throws IOException;

    /// Sends what was written, then closes; does not wait for it. When the session returns this happens by
    /// itself. Another thread that calls it ends the wait of the one that has the connection, with an exception
    /// there, and closes behind what that has handed over.
    @Override
    void close();

    /// Drops the connection now, with what was not sent.
    void abort();
}
