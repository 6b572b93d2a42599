package io.millrace.http.ws;

import io.millrace.http.grammar.HttpGuards;

/// How many frames a peer may send that bring no message: each has us answer, or look at nothing. Messages refill it,
/// and time does slowly, so that a connection may live for long.
final class WsBudget {
    private static final long NANOS_PER_FRAME = 10_000_000;
    private static final int BYTES_PER_FRAME = 1024;

    private final int most;
    private int left;
    private long refilledNanos;

    /// Bytes of messages that do not allow a frame yet.
    private long bytes;

    WsBudget(int most, long nowNanos) {
        this.most = most;
        this.left = most;
        this.refilledNanos = nowNanos;
    }

    /// @throws WsError when it is used up
    void spend(long nowNanos) throws WsError {
        if (left == 0) refill(nowNanos);
        if (left == 0)
            throw new WsError(WsCodes.POLICY, "more than " + most + " control frames in a row", HttpGuards.WS_CONTROL);
        left--;
    }

    private void refill(long nowNanos) {
        long frames = Math.max(0, (nowNanos - refilledNanos) / NANOS_PER_FRAME);
        left = (int) Math.min(most, frames);
        refilledNanos += frames * NANOS_PER_FRAME;
    }

    /// Bytes of a message have come.
    void moved(long count) {
        bytes += count;
        left = (int) Math.min(most, left + bytes / BYTES_PER_FRAME);
        bytes %= BYTES_PER_FRAME;
    }

    /// A message is complete.
    void complete() {
        left = Math.min(most, left + 1);
    }
}
