package io.millrace.lab.stats;

import java.util.Arrays;

/// The median of a sample.
public final class Medians {
    private Medians() {}

    /// The middle value, or the mean of the two middle ones; the array is left as it is.
    ///
    /// @throws IllegalArgumentException when there is no value
    public static double median(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("a sample of 0 values has no median: measure at least one round");
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        return ofSorted(sorted);
    }

    static double ofSorted(double[] sorted) {
        var upper = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
    }
}
