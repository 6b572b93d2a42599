package io.millrace.lab.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EstimateTest {
    @Test
    void median_is_the_middle_value_whatever_the_order() {
        assertEquals(3, Medians.median(9, 1, 3));
    }

    @Test
    void median_of_an_even_number_of_values_is_the_mean_of_the_middle_two() {
        assertEquals(2.5, Medians.median(4, 1, 3, 2));
    }

    @Test
    void median_leaves_the_array_as_it_was() {
        var values = new double[] {3, 1, 2};
        Medians.median(values);
        assertEquals(3, values[0]);
    }

    @Test
    void no_values_have_no_median_and_the_message_says_what_to_do() {
        var refused = assertThrows(IllegalArgumentException.class, Medians::median);
        assertTrue(refused.toString().contains("measure at least one round"), refused.toString());
    }

    /// Drawing five of five: that at least three draws are the smallest has the probability 0.058, more than the
    /// 2.5 % cut off at each end; so the interval is the whole range.
    @Test
    void interval_of_five_values_is_their_range() {
        assertEquals(new Interval(1, 50), Estimate.of(1, 3, 2, 50, 4).interval());
    }

    /// That at least five of nine draws are the smallest has the probability 0.0015, the two smallest 0.03.
    @Test
    void interval_of_nine_values_leaves_out_the_extremes() {
        assertEquals(new Interval(2, 8), Estimate.of(1, 2, 3, 4, 5, 6, 7, 8, 9).interval());
    }

    @Test
    void interval_of_three_values_is_wider_than_their_range() {
        var interval = Estimate.of(98, 100, 102).interval();
        assertEquals(94.8, interval.low(), 1e-9);
        assertEquals(105.2, interval.high(), 1e-9);
    }

    @Test
    void one_or_two_values_say_nothing_about_the_interval() {
        assertEquals(Interval.EVERYTHING, Estimate.of(7).interval());
        assertEquals(Interval.EVERYTHING, Estimate.of(7, 7.1).interval());
        assertEquals(7, Estimate.of(7).median());
    }

    @Test
    void no_values_are_no_estimate() {
        assertFalse(Estimate.of().isKnown());
    }

    @Test
    void the_same_values_give_the_same_interval_every_time() {
        var values = new SplittableRandom(1).doubles(12).toArray();
        assertEquals(Estimate.of(values), Estimate.of(values));
    }

    /// For each number of rounds: how often the interval holds the true median, of 1 000 samples of a lognormal.
    @Test
    void interval_holds_the_true_median_nearly_as_often_as_it_says() {
        for (var count : new int[] {3, 4, 5, 7, 9, 15, 31}) {
            var random = new SplittableRandom(count);
            var held = 0;
            for (var trial = 0; trial < 1_000; trial++) {
                var sample = Distribution.LOGNORMAL.sample(count, random);
                held += Estimate.of(sample).interval().contains(Distribution.LOGNORMAL.median()) ? 1 : 0;
            }
            assertTrue(held >= 850, held + " of 1000 intervals of " + count + " values held the median");
        }
    }

    @Test
    void interval_upside_down_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> new Interval(2, 1));
    }
}
