package io.millrace.http.exchange;

/// Time limits for a server in one exchange, in nanoseconds; 0 means none.
///
/// @param firstByteNanos from the last byte of a request, or an interim response, to the first byte of its
/// response
/// @param idleNanos while it is the server's turn and nothing moves: it takes nothing of a body, or sends nothing
///     more of a response that has begun
public record ClientTimeouts(long firstByteNanos, long idleNanos) {
    /// While a request, or the head of its response, is in transit.
    public long progressNanos() {
        return idleNanos > 0 ? idleNanos : firstByteNanos;
    }
}
