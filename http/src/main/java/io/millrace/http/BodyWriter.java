package io.millrace.http;

import io.millrace.bytes.Output;

/// Writes the body of a response as the peer takes it; see [Response#stream]. Its calls come where the handler's
/// do and never overlap.
@FunctionalInterface
public interface BodyWriter {
    /// Writes the next part, some kilobytes at a time. Called again whenever there is room.
    ///
    /// @return whether there is more; true without having written anything is an error
    boolean write(Output out) throws Exception;

    /// It is not called any more: the body is complete, or the connection has died; called once.
    default void onClose() {}
}
