package io.millrace.proxy;

/// What becomes of the bodies of requests on their way to an [Upstream].
///
/// @param bufferBytes one of up to so many bytes is kept until all of it is there, and for the next attempt: a
/// slow client then takes no connection to a backend; a longer one goes as it arrives. 0 for none
/// @param maxSizeBytes a longer one is answered with 413; [Long#MAX_VALUE] for any
public record RequestBodies(long bufferBytes, long maxSizeBytes) {
    /// They go as they arrive, however long they are.
    public static final RequestBodies STREAMED = new RequestBodies(0, Long.MAX_VALUE);

    public RequestBodies {
        if (bufferBytes < 0)
            throw new IllegalArgumentException("a buffer of " + bufferBytes + " bytes: take 0 or more");
        if (maxSizeBytes < 0)
            throw new IllegalArgumentException("bodies of " + maxSizeBytes + " bytes: take 0 or more");
    }
}
