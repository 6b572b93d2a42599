package io.millrace.lab.load;

import org.HdrHistogram.Histogram;

/// What happened in a while. Used by one thread at a time.
final class Tally {
    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
    private long errors;
    private String firstError = "";

    void answered(long latencyNanos) {
        nanos.recordValue(Math.clamp(latencyNanos, 0, LONGEST_NANOS));
    }

    void failed(long count, String why) {
        if (errors == 0) firstError = why;
        errors += count;
    }

    void add(Tally other) {
        nanos.add(other.nanos);
        if (other.errors > 0) failed(other.errors, other.firstError);
    }

    long messages() {
        return nanos.getTotalCount();
    }

    long errors() {
        return errors;
    }

    String firstError() {
        return firstError;
    }

    /// @param percent of all messages
    double micros(double percent) {
        return nanos.getValueAtPercentile(percent) / 1e3;
    }
}
