package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {
    private static double[] counts(Histogram histogram) {
        return Arrays.stream(histogram.counts()).asDoubleStream().toArray();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 0.9, 0.99, 0.999})
    void a_quantile_of_what_is_spread_evenly_is_right_to_a_few_percent(double share) {
        var histogram = new Histogram();
        for (int micros = 1; micros <= 100_000; micros++) histogram.add(micros * 1000L);
        double right = share * 100_000_000;
        assertEquals(right, Histogram.quantileNanos(counts(histogram), share), 0.05 * right);
    }

    @Test
    void what_is_longer_than_all_bounds_is_told_as_the_last() {
        var histogram = new Histogram();
        histogram.add(Long.MAX_VALUE);
        assertEquals(30e9, Histogram.quantileNanos(counts(histogram), 0.5));
    }

    @Test
    void of_nothing_there_is_no_quantile() {
        assertTrue(Double.isNaN(Histogram.quantileNanos(counts(new Histogram()), 0.5)));
    }

    @Test
    void what_is_as_long_as_a_bound_that_is_told_is_counted_below_it() {
        var histogram = new Histogram();
        var bounds = Histogram.bounds();
        for (double bound : bounds) histogram.add(Math.round(bound * 1e9));
        histogram.add(40_000_000_000L);
        var expected = new long[bounds.length + 1];
        Arrays.setAll(expected, i -> i + 1);
        assertArrayEquals(expected, histogram.cumulative());
    }
}
