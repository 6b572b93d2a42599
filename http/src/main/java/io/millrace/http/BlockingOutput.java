package io.millrace.http;

import io.millrace.bytes.Output;
import java.io.IOException;
import java.io.OutputStream;

/// Where the body of a response is written to in direct style; see [Response#blocking]. Used by the thread that the
/// writer is called on.
public interface BlockingOutput {
    /// Where to write. It leaves at [#flush] and when the writer returns, and above 64 KiB.
    Output output();

    /// Sends what was written; waits while the peer does not take it.
    ///
    /// @throws IOException when the peer has gone
    /// @throws java.io.InterruptedIOException when the thread is interrupted while it waits
    void flush() throws IOException;

    /// The same as a stream, which sends what is written to it above 64 KiB and when it is flushed.
    OutputStream outputStream();
}
