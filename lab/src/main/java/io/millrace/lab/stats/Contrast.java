package io.millrace.lab.stats;

/// One sample beside a baseline: both medians, and the ratio of the two.
public record Contrast(Estimate value, Estimate baseline, Estimate ratio) {
    /// Of rounds that ran in turns: `values[i]` right before or after `baseline[i]`.
    public static Contrast paired(double[] values, double[] baseline) {
        return new Contrast(Estimate.of(values), Estimate.of(baseline), Ratios.paired(values, baseline));
    }

    /// Of samples that share no rounds; also of samples of different lengths.
    public static Contrast unpaired(double[] values, double[] baseline) {
        return new Contrast(Estimate.of(values), Estimate.of(baseline), Ratios.ofMedians(values, baseline));
    }

    /// Finds a difference only when both methods agree: the intervals of the two medians lie apart, and the
    /// interval of the ratio excludes 1. Either alone gives more false alarms: with seven rounds of the same
    /// server the ratio alone does so one time in eight.
    public Verdict verdict(Better better) {
        var apart = !value.interval().overlaps(baseline.interval());
        if (!apart || !ratio.isKnown() || ratio.interval().contains(1)) {
            return Verdict.NO_DIFFERENCE_SHOWN;
        }
        var more = value.median() > baseline.median();
        return more == (better == Better.MORE) ? Verdict.FASTER : Verdict.SLOWER;
    }
}
