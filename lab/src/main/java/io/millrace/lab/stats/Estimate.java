package io.millrace.lab.stats;

/// A median and the 95 % interval it lies in, from `count` values.
///
/// @param median in the unit of the values; NaN when there were none
/// @param interval [Interval#EVERYTHING] when there were fewer than three values
public record Estimate(double median, Interval interval, int count) {
    /// Of no values at all.
    public static final Estimate NONE = new Estimate(Double.NaN, Interval.EVERYTHING, 0);

    /// The median of `values` with its bootstrap interval.
    public static Estimate of(double... values) {
        if (values.length == 0) {
            return NONE;
        }
        return new Estimate(Medians.median(values), Bootstrap.ofMedian(values), values.length);
    }

    public boolean isKnown() {
        return count > 0;
    }
}
