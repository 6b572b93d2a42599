package io.millrace.lab.stats;

import java.util.SplittableRandom;

/// What rounds may look like: tame, skewed, heavy in the tail, and in two modes as with a JIT that may go either
/// way.
enum Distribution {
    NORMAL(100) {
        @Override
        double next(SplittableRandom random) {
            return 100 + 3 * random.nextGaussian();
        }
    },
    UNIFORM(100) {
        @Override
        double next(SplittableRandom random) {
            return random.nextDouble(90, 110);
        }
    },
    LOGNORMAL(100) {
        @Override
        double next(SplittableRandom random) {
            return 100 * Math.exp(0.5 * random.nextGaussian());
        }
    },
    EXPONENTIAL(100 * Math.log(2)) {
        @Override
        double next(SplittableRandom random) {
            return random.nextExponential() * 100;
        }
    },
    /// A Pareto distribution of exponent 1.1: its variance is infinite.
    PARETO(100 * Math.pow(2, 1 / 1.1)) {
        @Override
        double next(SplittableRandom random) {
            return 100 * Math.pow(1 - random.nextDouble(), -1 / 1.1);
        }
    },
    /// Half of a Cauchy distribution, above 100.
    CAUCHY(101) {
        @Override
        double next(SplittableRandom random) {
            return 100 + Math.abs(Math.tan(Math.PI * (random.nextDouble() - 0.5)));
        }
    },
    TWO_MODES(100) {
        @Override
        double next(SplittableRandom random) {
            return (random.nextBoolean() ? 90 : 110) + random.nextGaussian();
        }
    };

    private final double median;

    Distribution(double median) {
        this.median = median;
    }

    abstract double next(SplittableRandom random);

    double median() {
        return median;
    }

    double[] sample(int count, SplittableRandom random) {
        var sample = new double[count];
        for (var i = 0; i < count; i++) {
            sample[i] = next(random);
        }
        return sample;
    }
}
