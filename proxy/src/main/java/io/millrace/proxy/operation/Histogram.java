package io.millrace.proxy.operation;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// How long things took, in buckets; counted by any number of threads, without allocating.
public final class Histogram {
    private static final long[] BOUNDS_MICROS = {
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000
    };

    /// Counts of what was not longer than each bound and longer than the one before, and of what was longer than
    /// all.
    private final LongAdder[] buckets = new LongAdder[BOUNDS_MICROS.length + 1];

    private final LongAdder nanos = new LongAdder();

    public Histogram() {
        for (int i = 0; i < buckets.length; i++) buckets[i] = new LongAdder();
    }

    public void add(long tookNanos) {
        int at = 0;
        while (at < BOUNDS_MICROS.length && tookNanos > BOUNDS_MICROS[at] * 1000) at++;
        buckets[at].increment();
        nanos.add(tookNanos);
    }

    /// The sum of all, in nanoseconds.
    public long nanos() {
        return nanos.sum();
    }

    /// The bounds, in seconds.
    static double[] bounds() {
        return Arrays.stream(BOUNDS_MICROS).mapToDouble(micros -> micros / 1e6).toArray();
    }

    /// How many were not longer than each bound, and how many there are.
    long[] cumulative() {
        var counts = new long[buckets.length];
        long all = 0;
        for (int i = 0; i < counts.length; i++) counts[i] = all += buckets[i].sum();
        return counts;
    }
}
