package io.millrace.cli;

/// A histogram of durations that keeps two digits: each power of two is divided into 64 steps, so a quantile is
/// at most 1.6 % too high. Used by one thread at a time.
///
/// HdrHistogram does more and is no named module, which the module path and its start-up pay for.
final class Latencies {
    private static final int STEP_BITS = 6;
    private static final int STEPS = 1 << STEP_BITS;

    private final long[] counts = new long[(Long.SIZE - STEP_BITS) * STEPS];
    private long count;
    private long maxNanos;

    void record(long nanos) {
        long value = Math.max(0, nanos);
        counts[index(value)]++;
        count++;
        maxNanos = Math.max(maxNanos, value);
    }

    void add(Latencies others) {
        for (int i = 0; i < counts.length; i++) counts[i] += others.counts[i];
        count += others.count;
        maxNanos = Math.max(maxNanos, others.maxNanos);
    }

    long count() {
        return count;
    }

    long maxNanos() {
        return maxNanos;
    }

    /// The duration that a share of all does not exceed; 0 if there is none.
    ///
    /// @param share from 0 to 1
    long quantileNanos(double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < counts.length && seen < wanted; i++) {
            seen += counts[i];
            if (seen >= wanted) return Math.min(maxNanos, highest(i));
        }
        return 0;
    }

    /// Values below [#STEPS] have an index of their own; above, the leading one bit names the row and the next
    /// bits the step.
    private static int index(long value) {
        if (value < STEPS) return (int) value;
        int row = Long.SIZE - STEP_BITS - Long.numberOfLeadingZeros(value);
        return row * STEPS + (int) (value >>> (row - 1)) - STEPS;
    }

    private static long highest(int index) {
        int row = index / STEPS;
        if (row == 0) return index;
        return ((long) (index % STEPS + STEPS + 1) << (row - 1)) - 1;
    }
}
