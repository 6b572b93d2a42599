package io.millrace.lab.stats;

/// A closed range of values, in the unit of the sample it was made from.
public record Interval(double low, double high) {
    /// The interval of fewer than three values, which prove nothing.
    public static final Interval EVERYTHING = new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    public Interval {
        if (!(low <= high)) {
            throw new IllegalArgumentException(
                    "the interval from " + low + " to " + high + " is reversed: give the lower end first");
        }
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }

    public boolean overlaps(Interval other) {
        return low <= other.high && other.low <= high;
    }

    /// Whether both ends are numbers that can be printed.
    public boolean isBounded() {
        return Double.isFinite(low) && Double.isFinite(high);
    }
}
