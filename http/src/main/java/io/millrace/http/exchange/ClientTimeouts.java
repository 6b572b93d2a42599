package io.millrace.http.exchange;

/// How long a server may take over one exchange, in nanoseconds; 0 for as long as it takes.
///
/// @param firstByteNanos from the last byte of a request, or an interim response, to the first byte of its
/// response
/// @param idleNanos      while it is the server's turn and nothing moves, either way: it takes nothing of a
/// body, or sends nothing more of a response that has begun
public record ClientTimeouts(long firstByteNanos, long idleNanos) {
    /// While a request, or the head of its response, is under way.
    public long progressNanos() {
        return idleNanos > 0 ? idleNanos : firstByteNanos;
    }
}
