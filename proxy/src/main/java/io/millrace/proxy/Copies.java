package io.millrace.proxy;

import io.millrace.http.Request;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Handshake;

/// Copies of a client's request. A copy lacks a body that has not arrived, and the connection, which a
/// protocol upgrade needs: both stay with the original.
final class Copies {
    private static final String REMEDY =
            ": forward the request that the handler was called with; setHeader, addHeader and removeHeader keep it";

    private Copies() {}

    /// Refuses a copy, instead of losing something silently.
    ///
    /// @throws IllegalStateException if the copy lacks something, with the remedy
    static void refuse(Request request) {
        var copied = BuiltRequest.copied(request);
        if (copied.isEmpty()) return;
        if (copied.get().hadBodyToCome()) {
            throw new IllegalStateException(
                    "the body of " + request + " stays with the request that its client sent, and this"
                            + " is a copy (Request.timeout, length and trailers make one)" + REMEDY);
        }
        if (request.method().equals("GET") && Handshake.of(request.headers()).isPresent()) {
            throw new IllegalStateException("the connection that " + request + " would change to another protocol stays"
                    + " with the request that its client sent, and this is a copy (Request.timeout makes one)"
                    + REMEDY);
        }
    }
}
