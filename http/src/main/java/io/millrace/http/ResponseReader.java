package io.millrace.http;

import io.millrace.bytes.Input;

/// Takes a response as it arrives, without blocking; see [io.millrace.http.client.HttpClient#sendAsync(Request,
/// ResponseReader)]. Its calls come on the connection's loop and never overlap. If it throws, the connection
/// ends, or its stream in HTTP/2, and the stage fails with what it threw.
///
/// @param <T> the type of its result
public interface ResponseReader<T> {
    /// An interim response, 103 for instance, but not 100 (RFC 9110 section 15.2): before the final response, a
    /// few times at most.
    default void onInterim(Response head) throws Exception {}

    /// Status and fields; called once, first. This response has no body.
    void onHead(Response head) throws Exception;

    /// The next bytes of the body: lent until this returns. Unread bytes are offered again in front of the next
    /// ones, up to the connection's input limit, 64 KiB over HTTP/2; at the end of the body nothing may be left.
    void onBody(Input part) throws Exception;

    /// The trailer fields: called once, after the body, if there are any.
    default void onTrailers(Headers trailers) throws Exception {}

    /// The response is complete, and its connection is back in the pool.
    T onEnd() throws Exception;

    /// There will be no response, or no more of it: called once, instead of [#onEnd].
    default void onAbort() {}
}
