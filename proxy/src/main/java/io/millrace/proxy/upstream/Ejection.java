package io.millrace.proxy.upstream;

import io.millrace.proxy.backend.Health;
import java.time.Duration;

/// How long a backend stays away when its requests fail. The upstream's, under its lock; the end and the count are
/// for any thread to read.
final class Ejection {
    private volatile long untilNanos;

    /// Ejections that are not forgiven.
    private long strikes;

    private volatile long count;

    /// Of the last one, in words.
    private volatile String cause = "";

    /// It stays away from now on.
    ///
    /// @return for how long
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

    /// How often it began; any thread.
    long count() {
        return count;
    }
}
