package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {
    @ParameterizedTest
    @ValueSource(doubles = {0.0, 0.001, 0.5, 0.9, 0.99, 0.999, 1.0})
    void a_quantile_is_never_too_low_and_hardly_too_high(double share) {
        var random = new Random(11);
        var values = random.longs(10_000)
                .map(value -> value >>> (1 + random.nextInt(62)))
                .toArray();
        var latencies = new Latencies();
        for (long value : values) latencies.record(value);
        Arrays.sort(values);
        long exact = values[Math.max(0, (int) Math.ceil(share * values.length) - 1)];
        long found = latencies.quantileNanos(share);
        assertTrue(found >= exact, found + " < " + exact);
        assertTrue(found <= exact * (1 + 1 / 64.0), found + " > " + exact);
    }

    @Test
    void sums_are_those_of_both() {
        var one = new Latencies();
        var other = new Latencies();
        one.record(5);
        other.record(7);
        other.record(1_000_000);
        one.add(other);
        assertEquals(3, one.count());
        assertEquals(1_000_000, one.maxNanos());
        assertEquals(7, one.quantileNanos(0.5));
    }

    @Test
    void the_extremes_have_their_place() {
        var latencies = new Latencies();
        latencies.record(-1);
        latencies.record(Long.MAX_VALUE);
        assertEquals(0, latencies.quantileNanos(0.5));
        assertEquals(Long.MAX_VALUE, latencies.quantileNanos(1));
    }

    @Test
    void of_nothing_every_quantile_is_0() {
        assertEquals(0, new Latencies().quantileNanos(0.99));
    }
}
