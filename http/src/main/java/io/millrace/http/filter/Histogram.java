package io.millrace.http.filter;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// Durations in buckets; counted by any number of threads, without allocating.
///
/// Each bound is about a quarter more than the one before, from 10 µs to 30 s, so that a quantile is right within
/// a few percent; metrics show fewer bounds.
public final class Histogram {
    private static final long[] BOUNDS_NANOS = boundsNanos();
    private static final long[] TOLD_MICROS = {
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

    /// For each bound, the count of durations up to it and above the one before; at the end, of those above all
    /// bounds.
    private final LongAdder[] buckets = new LongAdder[BOUNDS_NANOS.length + 1];

    private final LongAdder nanos = new LongAdder();

    public Histogram() {
        for (int i = 0; i < buckets.length; i++) buckets[i] = new LongAdder();
    }

    /// The rounded tenths of each power of ten (ISO 3: R10), which include all exported bounds but the last.
    private static long[] boundsNanos() {
        long[] steps = {1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000};
        var bounds = new long[65 + 1];
        long power = 10;
        for (int i = 0; i < bounds.length - 1; i++) {
            bounds[i] = steps[i % steps.length] * power;
            if ((i + 1) % steps.length == 0) power *= 10;
        }
        bounds[bounds.length - 1] = 30_000_000_000L;
        return bounds;
    }

    public void add(long tookNanos) {
        int at = Arrays.binarySearch(BOUNDS_NANOS, tookNanos);
        buckets[at < 0 ? -at - 1 : at].increment();
        nanos.add(tookNanos);
    }

    /// The sum of all durations, in nanoseconds.
    public long nanos() {
        return nanos.sum();
    }

    /// The count in each bucket.
    public long[] counts() {
        var counts = new long[buckets.length];
        for (int i = 0; i < counts.length; i++) counts[i] = buckets[i].sum();
        return counts;
    }

    /// A quantile of the durations, in nanoseconds, interpolated within a bucket.
    ///
    /// @param counts from [#counts], or the difference of two such arrays
    /// @param share 0 to 1
    /// @return NaN if there are no durations
    public static double quantileNanos(double[] counts, double share) {
        double left = share * Arrays.stream(counts).sum();
        if (left == 0) return Double.NaN;
        for (int i = 0; i < BOUNDS_NANOS.length; i++) {
            long from = i == 0 ? 0 : BOUNDS_NANOS[i - 1];
            if (left <= counts[i]) return from + (BOUNDS_NANOS[i] - from) * left / counts[i];
            left -= counts[i];
        }
        return BOUNDS_NANOS[BOUNDS_NANOS.length - 1];
    }

    /// The bounds that metrics show, in seconds.
    public static double[] bounds() {
        return Arrays.stream(TOLD_MICROS).mapToDouble(micros -> micros / 1e6).toArray();
    }

    /// For each of these bounds, how many durations were not longer; at the end, how many there are.
    public long[] cumulative() {
        var counts = new long[TOLD_MICROS.length + 1];
        long all = 0;
        int told = 0;
        for (int i = 0; i < buckets.length; i++) {
            all += buckets[i].sum();
            boolean isTold = i < BOUNDS_NANOS.length && BOUNDS_NANOS[i] == TOLD_MICROS[told] * 1000;
            if (isTold) counts[told++] = all;
        }
        counts[told] = all;
        return counts;
    }
}
