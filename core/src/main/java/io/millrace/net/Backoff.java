package io.millrace.net;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/// How long to wait before something that has failed is tried again: a random time between half of a backoff and all of
/// it, which doubles with each failure. Random, so that the clients of a server that was away do not come back
/// together.
///
/// @param first the first backoff, more than 0
/// @param longest as long as it gets, no shorter than the first
/// @param luck random numbers from 0 to 1
@CheckReturnValue
public record Backoff(Duration first, Duration longest, DoubleSupplier luck) {
    private static final Duration MOST = Duration.ofDays(1);

    public Backoff {
        if (!first.isPositive() || longest.compareTo(first) < 0 || longest.compareTo(MOST) > 0)
            throw new IllegalArgumentException("a backoff of " + first.toMillis() + " ms, " + longest.toMillis()
                    + " ms at most: take more than 0, and a longest one that is no shorter, and a day or less");
    }

    /// A backoff with luck of its own.
    public static Backoff of(Duration first, Duration longest) {
        return new Backoff(first, longest, () -> ThreadLocalRandom.current().nextDouble());
    }

    /// The same with another source of random numbers, for tests.
    public Backoff luck(DoubleSupplier source) {
        return new Backoff(first, longest, source);
    }

    /// The wait after so many failures in a row, 1 or more.
    public Duration after(int failures) {
        double nanos = Math.min((double) longest.toNanos(), (double) first.toNanos() * Math.pow(2, failures - 1.0));
        return Duration.ofNanos((long) (nanos * (0.5 + luck.getAsDouble() / 2)));
    }
}
