package io.millrace.net;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// A connected socket in callback style. It belongs to its [#loop]: use it there, in its own handler's calls, or
/// through `conn.loop().execute(…)`. [#write], [#written], [#pause], [#resume], [#end], [#close], [#abort],
/// [#receivedBytes] and [#sentBytes] may be called from any thread.
///
/// ```
///  CONNECTING ──► OPEN ──end()──► ENDING ──peer ends──► CLOSED
///                  │ ◄─resume─ PAUSED (high watermark, or you)
///                  ├──close()──► CLOSING (sends the rest) ──► CLOSED
///                  └──abort() / error ───────────────────────► CLOSED      onClose is called exactly once, last
/// ```
public interface Connection extends ConnectionInfo {
    /// Where to write. What is written during a turn of the loop is sent in one gathering write; there is no flush.
    /// On a thread that does not have the connection each write throws [IllegalStateException].
    Output output();

    /// Sends a value, from any thread and at any moment: all of it in one piece, after what the same thread has
    /// written before. The connection's own thread writes to the [#output]; other threads pass the value to the
    /// loop, which sends it when no call of the handler is running.
    ///
    /// Never waits. Unsent values count against the output limit ([io.millrace.bytes.Output]), each one of another
    /// thread with 144 bytes more than its length.
    ///
    /// @return false when the value is not sent: the connection has ended or closed, or is dropped now as
    ///         [io.millrace.net.Overloaded] because more than its output limit is unsent
    boolean write(Bytes bytes);

    /// Whether more than the high watermark is unsent. Meanwhile nothing is read from the peer; a handler that
    /// writes without being asked by the peer should stop until [Handler#onWritable].
    boolean isFull();

    /// Stops reading from the peer until [#resume], so that it has to wait.
    void pause();

    /// Goes on reading. What the handler left unread is offered again at once.
    void resume();

    /// Sends what was written, then tells the peer that nothing more follows (half-close); reading goes on.
    void end();

    /// Sends what was written, then closes. Nothing more is read.
    void close();

    /// Drops the connection now, with its unsent output.
    void abort();

    /// Runs a task on the loop when everything written so far has been passed to the kernel; never, if the
    /// connection closes before.
    void whenSent(Runnable task);

    /// Completes when everything that the caller has written so far has been passed to the kernel, and fails with
    /// the cause when the connection closes before; on the loop either way. It does not mean that the peer has read
    /// it. Any thread.
    CompletionStage<@Nullable Void> written();

    /// Options of a connected socket; the names are those of [java.net.StandardSocketOptions] and
    /// [jdk.net.ExtendedSocketOptions].
    interface Options {
        /// Sets an option of the socket.
        ///
        /// @throws IllegalArgumentException      for `SO_LINGER` above 0, which would make the loop wait
        /// @throws IllegalStateException         when the connection has closed, and on the thread of another
        ///     loop: use `conn.loop().execute(…)`
        /// @throws UnsupportedOperationException when the transport does not know the option, with its name
        /// @throws java.io.UncheckedIOException  when the kernel refuses the value
        <T> void set(java.net.SocketOption<T> name, T value);

        /// The value the kernel uses, which may differ from the one set.
        ///
        /// @throws IllegalStateException as [#set]
        <T> T get(java.net.SocketOption<T> name);
    }
}
