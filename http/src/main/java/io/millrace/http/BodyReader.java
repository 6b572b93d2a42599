package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes a request's body as it arrives, and answers when it is complete; see [Response#reading]. It is called
/// where the handler is, and its calls never overlap.
public interface BodyReader {
    /// The next bytes: lent until this returns. Unread bytes are offered again in front of the next ones, up to
    /// the connection's input limit; of a stream of HTTP/2, 64 KiB at least and 512 KiB at most.
    void onBody(Input part) throws Exception;

    /// The body is complete.
    Response onEnd() throws Exception;

    /// The connection died before the end, or the body is malformed; called once, instead of [#onEnd].
    default void onAbort() {}
}
