package io.millrace.lab.load;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// What happened in a while. Used by one thread at a time.
final class Tally {
    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 3;
    private static final int STATUS_CLASSES = 6;

    final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
    private final long[] statuses = new long[STATUS_CLASSES];
    private long bytes;
    private long errors;
    private String firstError = "";

    /// An answer that is wrong counts as an error, and as nothing else.
    void answered(long latencyNanos, MeasuredAnswer answer) {
        statuses[answer.statusClass()]++;
        if (answer.isRight()) {
            nanos.recordValue(Math.clamp(latencyNanos, 0, LONGEST_NANOS));
            bytes += answer.bytes();
        } else {
            failed(1, answer.complaint());
        }
    }

    void failed(long count, String why) {
        if (errors == 0) firstError = why;
        errors += count;
    }

    void add(Tally other) {
        nanos.add(other.nanos);
        for (int i = 0; i < statuses.length; i++) statuses[i] += other.statuses[i];
        bytes += other.bytes;
        if (other.errors > 0) failed(other.errors, other.firstError);
    }

    /// The errors of another one instead of its own.
    void failedAs(Tally other) {
        errors = other.errors;
        firstError = other.firstError;
    }

    long messages() {
        return nanos.getTotalCount();
    }

    /// Of answers that were right.
    long bytes() {
        return bytes;
    }

    /// How many answers had a status of each class.
    Map<String, Long> statuses() {
        var counts = new TreeMap<String, Long>();
        for (int i = 1; i < statuses.length; i++) if (statuses[i] > 0) counts.put(i + "xx", statuses[i]);
        return Collections.unmodifiableMap(counts);
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
