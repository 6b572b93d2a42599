package io.millrace.proxy;

/// How request bodies go to an [Upstream].
///
/// @param bufferBytes a body of up to this many bytes is collected first, and kept for the next attempt: a
/// slow client then occupies no backend connection. A longer one is streamed. 0 collects none
/// @param maxSizeBytes a longer one gets 413; [Long#MAX_VALUE] for no limit
public record RequestBodies(long bufferBytes, long maxSizeBytes) {
    /// Bodies of any length are streamed.
    public static final RequestBodies STREAMED = new RequestBodies(0, Long.MAX_VALUE);

    public RequestBodies {
        if (bufferBytes < 0)
            throw new IllegalArgumentException("a buffer of " + bufferBytes + " bytes: take 0 or more");
        if (maxSizeBytes < 0)
            throw new IllegalArgumentException("bodies of " + maxSizeBytes + " bytes: take 0 or more");
    }
}
