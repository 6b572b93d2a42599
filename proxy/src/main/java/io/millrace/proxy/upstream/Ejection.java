package io.millrace.proxy.upstream;

import io.millrace.proxy.Health;

/// How long a backend stays away when its requests fail. The upstream's, under its lock; the end and the count are
/// for any thread to read.
final class Ejection {
    private volatile long untilNanos;

    /// Ejections that are not forgiven.
    private long strikes;

    private volatile long count;

    /// It stays away from now on.
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time, under the upstream's lock
    void begin(Health health, long nowNanos) {
        long base = health.ejectionTime().toNanos();
        if (count > 0) strikes = Math.max(0, strikes - Math.max(0, nowNanos - untilNanos) / base);
        strikes++;
        count++;
        long longest = health.longestEjection().toNanos();
        untilNanos = nowNanos + (strikes > longest / base ? longest : strikes * base);
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
