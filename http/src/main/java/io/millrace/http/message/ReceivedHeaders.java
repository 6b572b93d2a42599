package io.millrace.http.message;

import io.millrace.http.Headers;

/// Fields from a peer, with bytes of their own: fields that are passed on need not become text.
public abstract non-sealed class ReceivedHeaders extends Headers {
    protected ReceivedHeaders() {}

    /// As [HopByHop#endToEnd(Headers)].
    protected abstract Headers endToEnd();

    /// As [HopByHop#endToEnd(Headers, String, String)].
    protected abstract Headers endToEnd(String name, String value);

    /// The value of `Content-Length`, in bytes, or [Body#UNKNOWN].
    protected abstract long contentLength();

    /// The same for any received fields.
    public static long contentLength(Headers received) {
        if (received instanceof ReceivedHeaders mine) return mine.contentLength();
        return received.first("Content-Length").map(Long::parseLong).orElse(Body.UNKNOWN);
    }
}
