package io.millrace.proxy;

import io.millrace.http.Request;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Handshake;

/// Copies of what a client sent, which lack what stays with the original: a body that is still to come, and the
/// connection, without which no protocol is changed.
final class Copies {
    private static final String REMEDY =
            ": pass on the request that the handler was called with; setHeader, addHeader and removeHeader keep it";

    private Copies() {}

    /// Throws rather than lose something without a word.
    ///
    /// @throws IllegalStateException for a copy that lacks something, with the remedy
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
