package io.millrace.http.message;

import io.millrace.http.Headers;

/// Fields as a peer sent them, with bytes of their own: those that are passed on need not become text.
public abstract non-sealed class ReceivedHeaders extends Headers {
    protected ReceivedHeaders() {}

    /// As [HopByHop#endToEnd(Headers)].
    protected abstract Headers endToEnd();

    /// As [HopByHop#endToEnd(Headers, String, String)].
    protected abstract Headers endToEnd(String name, String value);

    /// What `Content-Length` says, in bytes, or [Body#UNKNOWN].
    protected abstract long contentLength();

    /// The same of any fields that were received.
    public static long contentLength(Headers received) {
        if (received instanceof ReceivedHeaders mine) return mine.contentLength();
        return received.first("Content-Length").map(Long::parseLong).orElse(Body.UNKNOWN);
    }
}
