package io.millrace.http;

/// Writes a response's body in plain blocking code; see [Response#blocking].
@FunctionalInterface
public interface BlockingBodyWriter {
    /// Writes the whole body. Called once, on a virtual thread of its own; when it returns, the body is complete.
    /// If it throws, the response breaks off, and the peer notices.
    void write(BlockingOutput out) throws Exception;
}
