package io.millrace.http;

/// Writes the body of a response in plain blocking code; see [Response#blocking].
@FunctionalInterface
public interface BlockingBodyWriter {
    /// Writes all of it. Called once, on a virtual thread of its own; when it returns, the body is complete. What it
    /// throws ends the response in the middle, and the peer sees that.
    void write(BlockingOutput out) throws Exception;
}
