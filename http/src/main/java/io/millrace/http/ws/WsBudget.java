package io.millrace.http.ws;

import io.millrace.http.grammar.HttpGuards;

/// How many frames a peer may send that bring no message, and nothing of one: each has us answer, or look at
/// nothing. Messages refill it, and time does slowly, so that a connection may live for long.
abstract class WsBudget {
    private static final long NANOS_PER_FRAME = 10_000_000;
    private static final int BYTES_PER_FRAME = 1024;

    private int framesLeft;

    /// Bytes of messages that do not allow a frame yet.
    private int bytes;

    private long refilledNanos;

    /// @param most to begin with; the same for each call
    WsBudget(int most, long nowNanos) {
        this.framesLeft = most;
        this.refilledNanos = nowNanos;
    }

    /// @throws WsError when it is used up
    final void spend(int most, long nowNanos) throws WsError {
        if (framesLeft == 0) refill(most, nowNanos);
        if (framesLeft == 0)
            throw new WsError(
                    WsCodes.POLICY, "more than " + most + " control or empty frames in a row", HttpGuards.WS_CONTROL);
        framesLeft--;
    }

    private void refill(int most, long nowNanos) {
        long frames = Math.max(0, (nowNanos - refilledNanos) / NANOS_PER_FRAME);
        framesLeft = (int) Math.min(most, frames);
        refilledNanos += frames * NANOS_PER_FRAME;
    }

    /// Bytes of a message have come.
    final void moved(int most, long count) {
        long all = bytes + count;
        framesLeft = (int) Math.min(most, framesLeft + all / BYTES_PER_FRAME);
        bytes = (int) (all % BYTES_PER_FRAME);
    }

    /// A message is complete.
    final void complete(int most) {
        framesLeft = Math.min(most, framesLeft + 1);
    }
}
