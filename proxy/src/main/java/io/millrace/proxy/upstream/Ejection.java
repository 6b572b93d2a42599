package io.millrace.proxy.upstream;

import io.millrace.proxy.backend.Health;
import java.time.Duration;

/// The ejections of a backend whose requests fail. Used under the upstream's lock; any thread may read the
/// end and the count.
final class Ejection {
    private volatile long untilNanos;

    /// Ejections, less one for each base time without one.
    private long strikes;

    private volatile long count;

    /// The reason of the last one, as a text.
    private volatile String cause = "";

    /// Begins an ejection.
    ///
    /// @return its length
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time, under the upstream's lock
    Duration begin(Health health, String why, long nowNanos) {
        long base = health.ejectionTime().toNanos();
        if (count > 0) strikes = Math.max(0, strikes - Math.max(0, nowNanos - untilNanos) / base);
        strikes++;
        count++;
        long longest = health.maxEjectionTime().toNanos();
        long away = strikes > longest / base ? longest : strikes * base;
        untilNanos = nowNanos + away;
        cause = why;
        return Duration.ofNanos(away);
    }

    String cause() {
        return cause;
    }

    boolean isOver(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }

    long untilNanos() {
        return untilNanos;
    }

    /// How many ejections there were; any thread.
    long count() {
        return count;
    }
}
