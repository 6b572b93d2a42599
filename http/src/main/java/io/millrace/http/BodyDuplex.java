package io.millrace.http;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;

/// Writes the body of a response while the body of its request arrives; see [Response#duplex]. Its calls come
/// where the handler's do and never overlap. While the peer does not take the response, nothing more is read.
@FunctionalInterface
public interface BodyDuplex {
    /// The next bytes of the request, lent until this returns; all of them must be read.
    void onBody(Input part, Output out) throws Exception;

    /// The request's body is complete: the rest of the response.
    default void onEnd(Output out) throws Exception {}

    /// The connection has died before; called once, instead of [#onEnd].
    default void onAbort() {}
}
