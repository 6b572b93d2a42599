package io.millrace.http;

import io.millrace.bytes.Output;

/// Writes the body of a response, or of a client's request, as the peer takes it; see [Response#stream] and
/// [Request#of(String, String, BodyWriter)]. It is called where the handler is, for a client's request on the
/// connection's loop, and its calls never overlap.
@FunctionalInterface
public interface BodyWriter {
    /// Writes the next part, some kilobytes at a time. Called again whenever there is room.
    ///
    /// @return whether there is more; it is an error to return true without writing anything
    boolean write(Output out) throws Exception;

    /// The last call: the body is complete, or the peer is gone; called once.
    default void onClose() {}
}
