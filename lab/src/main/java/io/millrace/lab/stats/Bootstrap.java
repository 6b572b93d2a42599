package io.millrace.lab.stats;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/// Percentile bootstrap of the median: draws as many values as the sample has, with replacement, many times over,
/// and takes the middle 95 % of the medians of these draws. The seed is fixed, so a report made twice says the
/// same.
///
/// Under five values the bootstrap is too optimistic: it cannot go beyond the smallest and the largest, and
/// three values lie on one side of the true median one time in four. So the interval of three or four is
/// stretched by [#STRETCH], and fewer have none: two rounds may well be two of the slow ones.
final class Bootstrap {
    private static final int DRAWS = 2_000;
    private static final long SEED = 0x4d69_6c6c_7261_6365L;
    private static final int FEWEST = 3;

    /// For three and four values: how much wider Student's 95 % interval is than the mean range of that many
    /// normal values. From five on the range is wide enough. Example: the rates 98, 100, 102 have the range 4 and
    /// get the interval 100 ± 5.2.
    private static final double[] STRETCH = {2.6, 1.4};

    private static final ConcurrentHashMap<Sample, Draws> DRAWN = new ConcurrentHashMap<>();

    private Bootstrap() {}

    static Interval ofMedian(double[] values) {
        if (values.length < FEWEST) {
            return Interval.EVERYTHING;
        }
        return middle(medians(values, SEED), values.length);
    }

    /// The interval of the logarithm of `median(values) / median(others)`, for samples that share no rounds.
    static Interval ofLogQuotient(double[] values, double[] others) {
        var count = Math.min(values.length, others.length);
        if (count < FEWEST) {
            return Interval.EVERYTHING;
        }
        var logarithms = medians(values, SEED);
        var below = medians(others, ~SEED);
        for (var i = 0; i < DRAWS; i++) {
            logarithms[i] = Math.log(logarithms[i] / below[i]);
        }
        return middle(logarithms, count);
    }

    /// The median of each draw.
    private static double[] medians(double[] values, long seed) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        var draws = DRAWN.computeIfAbsent(new Sample(sorted.length, seed), Draws::of);
        var medians = new double[DRAWS];
        for (var i = 0; i < DRAWS; i++) {
            medians[i] = (sorted[draws.lower[i]] + sorted[draws.upper[i]]) / 2;
        }
        return medians;
    }

    private static Interval middle(double[] medians, int count) {
        Arrays.sort(medians);
        var tail = DRAWS / 40;
        var low = medians[tail];
        var high = medians[DRAWS - 1 - tail];
        if (count >= FEWEST + STRETCH.length) {
            return new Interval(low, high);
        }
        var centre = (low + high) / 2;
        var half = (high - low) / 2 * STRETCH[count - FEWEST];
        return new Interval(centre - half, centre + half);
    }

    private record Sample(int count, long seed) {}

    /// Which values are in the middle of each draw depends on how many there are, not on what they are: so it is
    /// drawn once for each number of values.
    ///
    /// @param lower position in the sorted sample of the lower middle value of each draw
    /// @param upper of the upper one, the same position in draws of an odd number
    @SuppressWarnings("ArrayRecordComponent")
    private record Draws(int[] lower, int[] upper) {
        static Draws of(Sample sample) {
            var random = new SplittableRandom(sample.seed);
            var draws = new Draws(new int[DRAWS], new int[DRAWS]);
            var positions = new int[sample.count];
            for (var i = 0; i < DRAWS; i++) {
                Arrays.setAll(positions, at -> random.nextInt(sample.count));
                Arrays.sort(positions);
                draws.lower[i] = positions[(sample.count - 1) / 2];
                draws.upper[i] = positions[sample.count / 2];
            }
            return draws;
        }
    }
}
