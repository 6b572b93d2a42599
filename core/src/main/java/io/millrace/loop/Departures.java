package io.millrace.loop;

import java.util.concurrent.atomic.AtomicLong;

/// A drain, for those who can tell their peers at any moment to go elsewhere. Each gets a moment of its own: thousands
/// that come back at once are a burden for whoever serves next. Any thread.
///
/// ```
///   ├─ 20 ms ─┼─ 20 ms ─┼─ … ─┤ and again from the beginning ├─ for the last answers ─┤ all is aborted
/// ```
/// So a few are done soon, and many are spread evenly over the whole time.
public final class Departures {
    /// Fifty a second trouble nobody, and few need not wait for long.
    private static final long STEP_NANOS = 20_000_000;

    private final long endNanos;
    private final AtomicLong told = new AtomicLong();

    /// @param endNanos when everything that is still open is aborted, by the clock of the loops
    public Departures(long endNanos) {
        this.endNanos = endNanos;
    }

    /// How long the next one waits until it tells its peer.
    ///
    /// @param answerNanos how long a peer may take to answer; of a short time, a quarter is kept for answers
    public long nextNanos(long nowNanos, long answerNanos) {
        long left = endNanos - nowNanos;
        long window = left - Math.min(answerNanos, left / 4);
        long step = told.getAndIncrement() * STEP_NANOS;
        return window > 0 ? step % window : 0;
    }
}
