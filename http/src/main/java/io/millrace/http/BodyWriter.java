package io.millrace.http;

import io.millrace.bytes.Output;

/// Writes the body of a response, or of a client's request, as the peer takes it; see [Response#stream] and
/// [Request#of(String, String, BodyWriter)]. Its calls come where the handler's do, for a request on the
/// connection's loop, and never overlap.
@FunctionalInterface
public interface BodyWriter {
    /// Writes the next part, some kilobytes at a time. Called again whenever there is room.
    ///
    /// @return whether there is more; true without having written anything is an error
    boolean write(Output out) throws Exception;

    /// It is not called any more: the body is complete, or nobody takes it any more; called once.
    default void onClose() {}
}
