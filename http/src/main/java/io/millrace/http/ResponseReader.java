package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes a response as it arrives, without blocking; see
/// [io.millrace.http.client.HttpClient#sendAsync(Request, ResponseReader)]. Its calls come on the connection's loop and
/// never overlap. What it throws ends the connection, and is what the stage completes with.
///
/// @param <T> what it makes of the response
public interface ResponseReader<T> {
    /// An interim response has come, 103 for instance, but not 100 (RFC 9110 section 15.2): in front of the
    /// other, if at all, and a few times at most.
    default void onInterim(Response head) throws Exception {}

    /// Status and fields are there; called once, first. This response has no body.
    void onHead(Response head) throws Exception;

    /// The next bytes of the body: lent until this returns. What it leaves unread is offered again in front of
    /// the next ones, up to the connection's input limit; at the end of the body nothing may be left.
    void onBody(Input part) throws Exception;

    /// Fields came behind a body in chunks: called once, after all of it, if there are any.
    default void onTrailers(Headers trailers) throws Exception {}

    /// The response is complete, and its connection has been given back.
    T onEnd() throws Exception;

    /// There will be no response, or no more of it: called once, instead of [#onEnd].
    default void onAbort() {}
}
