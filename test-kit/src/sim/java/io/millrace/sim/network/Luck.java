package io.millrace.sim.network;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// Random choices from one seed, in integer arithmetic where it matters: the same on every machine.
public final class Luck {
    private final SplittableRandom random;

    public Luck(long seed) {
        this(new SplittableRandom(seed));
    }

    private Luck(SplittableRandom random) {
        this.random = random;
    }

    /// An independent source for another user, so that how often one asks does not change what the other gets.
    public Luck split() {
        return new Luck(random.split());
    }

    /// From 0 inclusive to `bound` exclusive.
    public int below(int bound) {
        return random.nextInt(bound);
    }

    /// From `min` to `max`, both inclusive, uniformly.
    public long between(long min, long max) {
        return min == max ? min : random.nextLong(min, max + 1);
    }

    /// From `min`, 1 or more, to `max`, both inclusive, each order of magnitude equally likely.
    public long magnitude(long min, long max) {
        if (min == max) return min;
        int bits = (int) between(log2(min), log2(max));
        return Math.clamp(between(1L << bits, (1L << bits) * 2 - 1), min, max);
    }

    public boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /// From 0 inclusive to 1 exclusive.
    public double share() {
        return random.nextDouble();
    }

    /// The same luck, for code that knows only the JDK's interface.
    public RandomGenerator generator() {
        return random;
    }

    public long anything() {
        return random.nextLong();
    }

    public void fill(byte[] bytes) {
        random.nextBytes(bytes);
    }

    private static int log2(long value) {
        return 63 - Long.numberOfLeadingZeros(value);
    }
}
