package io.millrace.http;

import io.millrace.bytes.Output;
import java.io.IOException;
import java.io.OutputStream;

/// Takes a response's body in direct style; see [Response#blocking]. Used by the thread that calls the writer.
public interface BlockingOutput {
    /// The output to write to. It is sent at [#flush], when the writer returns, and whenever it exceeds 48 KiB.
    Output output();

    /// Sends what was written; waits while the peer does not read.
    ///
    /// @throws IOException when the peer has gone
    /// @throws java.io.InterruptedIOException when the thread is interrupted while it waits
    void flush() throws IOException;

    /// The output as a stream, which is sent when it is flushed and whenever it exceeds 48 KiB.
    OutputStream outputStream();
}
