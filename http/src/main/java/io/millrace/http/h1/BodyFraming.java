package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.message.Body;
import io.millrace.memory.LoopOutput;

/// How the end of a body is marked (RFC 9112 section 6).
enum BodyFraming {
    LENGTH,
    CHUNKED,
    /// By the end of the connection, for HTTP/1.0 peers.
    CLOSE,
    NO_BODY;

    /// The framing of a response's body.
    ///
    /// @param length or [Body#UNKNOWN]
    static BodyFraming of(int status, long length, boolean isOldPeer) {
        if (status == 204 || status == 304) return NO_BODY;
        if (length != Body.UNKNOWN) return LENGTH;
        return isOldPeer ? CLOSE : CHUNKED;
    }

    /// Frames and writes a part.
    void data(LoopOutput part, LoopOutput output) {
        if (this != CHUNKED) {
            output.appendAll(part.chain());
            return;
        }
        Chunks.begin(output, part.size());
        output.appendAll(part.chain());
        Chunks.end(output);
    }

    /// Marks the end of the body.
    void end(Headers trailers, LoopOutput output) {
        if (this == CHUNKED) Chunks.last(output, trailers);
    }
}
