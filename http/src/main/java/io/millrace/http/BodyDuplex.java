package io.millrace.http;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;

/// Writes a response's body while the request's body arrives; see [Response#duplex]. It is called where the
/// handler is, and its calls never overlap. While the peer does not read the response, no more of the request is
/// read.
@FunctionalInterface
public interface BodyDuplex {
    /// The next bytes of the request, lent until this returns; it must read all of them.
    void onBody(Input part, Output out) throws Exception;

    /// The request's body is complete: write the rest of the response.
    default void onEnd(Output out) throws Exception {}

    /// The connection died before the end; called once, instead of [#onEnd].
    default void onAbort() {}
}
