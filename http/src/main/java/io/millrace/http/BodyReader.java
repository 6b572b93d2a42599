package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes the body of a request as it arrives, and answers when it is complete; see [Response#reading]. Its calls
/// come where the handler's do and never overlap.
public interface BodyReader {
    /// The next bytes: lent until this returns. What it leaves unread is offered again in front of the next ones,
    /// up to the connection's input limit.
    void onBody(Input part) throws Exception;

    /// The body is complete.
    Response onEnd() throws Exception;

    /// The connection has died before, or what arrived was no body; called once, instead of [#onEnd].
    default void onAbort() {}
}
