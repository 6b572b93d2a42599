package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes the parts of a [Multipart] body as they arrive, one after the other, and answers when all have arrived.
/// It is called where the handler is, and its calls never overlap.
///
/// ```
///   ┬─► onField ────────────────────────┬─► onEnd
///   └─► onFile ─► onData … ─► onFileEnd ┘              onAbort instead, at any time
/// ```
public interface PartReader {
    /// A field that is not a file, whole.
    default void onField(Part field) throws Exception {}

    /// A file begins.
    void onFile(PartHead head) throws Exception;

    /// The next bytes of the file: lent until this returns. Unread bytes are dropped.
    void onData(Input data) throws Exception;

    /// The file is complete. The rest of the body may still turn out to be malformed, so nothing counts until
    /// [#onEnd].
    default void onFileEnd() throws Exception {}

    /// All parts have arrived.
    Response onEnd() throws Exception;

    /// The connection died, the body is malformed or too large, or one of these methods threw: called once,
    /// instead of [#onEnd], to clean up.
    default void onAbort() {}
}
