package io.millrace.lab.stats;

import java.util.Arrays;

/// Ratios of a sample to a baseline. They are taken on logarithms, so that twice as fast and half as fast are
/// equally far from 1.
public final class Ratios {
    private Ratios() {}

    /// The median of `values[i] / baseline[i]`: rounds that ran one after the other, so what slowed the machine
    /// slowed both.
    ///
    /// @return [Estimate#NONE] when a value is not above zero: then there is no ratio
    /// @throws IllegalArgumentException when the arrays differ in length
    public static Estimate paired(double[] values, double[] baseline) {
        if (values.length != baseline.length) {
            throw new IllegalArgumentException(values.length + " values cannot be paired with " + baseline.length
                    + ": keep only the rounds that both have");
        }
        if (values.length == 0 || hasNoLogarithm(values) || hasNoLogarithm(baseline)) {
            return Estimate.NONE;
        }
        var logarithms = new double[values.length];
        for (var i = 0; i < logarithms.length; i++) {
            logarithms[i] = Math.log(values[i] / baseline[i]);
        }
        return exponential(Medians.median(logarithms), Bootstrap.ofMedian(logarithms), logarithms.length);
    }

    /// The ratio of the medians of two samples that share no rounds, for instance of two days.
    ///
    /// @return [Estimate#NONE] when a sample is empty or a value is not above zero
    public static Estimate ofMedians(double[] values, double[] others) {
        if (values.length == 0 || others.length == 0 || hasNoLogarithm(values) || hasNoLogarithm(others)) {
            return Estimate.NONE;
        }
        return exponential(
                Math.log(Medians.median(values) / Medians.median(others)),
                Bootstrap.ofLogQuotient(values, others),
                Math.min(values.length, others.length));
    }

    private static boolean hasNoLogarithm(double[] values) {
        return !Arrays.stream(values).allMatch(value -> value > 0 && Double.isFinite(value));
    }

    private static Estimate exponential(double median, Interval interval, int count) {
        var bounds = interval.isBounded()
                ? new Interval(Math.exp(interval.low()), Math.exp(interval.high()))
                : Interval.EVERYTHING;
        return new Estimate(Math.exp(median), bounds, count);
    }
}
