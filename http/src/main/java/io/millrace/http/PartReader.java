package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes the parts of a [Multipart] body as they arrive, one after the other, and answers when all of them are
/// there. Its calls come where the handler's do and never overlap.
///
/// ```
///   ┬─► onField ────────────────────────┬─► onEnd
///   └─► onFile ─► onData … ─► onFileEnd ┘              onAbort instead, at any time
/// ```
public interface PartReader {
    /// A field that is no file, whole.
    default void onField(Part field) throws Exception {}

    /// A file begins.
    void onFile(PartHead head) throws Exception;

    /// The next bytes of the file: lent until this returns. What it leaves unread is dropped.
    void onData(Input data) throws Exception;

    /// The file is complete. What follows may still turn out to be no body, so nothing counts until [#onEnd].
    default void onFileEnd() throws Exception {}

    /// That was the last part.
    Response onEnd() throws Exception;

    /// The connection has died, what arrived was no body or too large, or one of these methods threw: called
    /// once, instead of [#onEnd], to clean up.
    default void onAbort() {}
}
