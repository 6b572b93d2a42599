package io.millrace.lab.stats;

import static io.millrace.lab.stats.Verdict.FASTER;
import static io.millrace.lab.stats.Verdict.NO_DIFFERENCE_SHOWN;
import static io.millrace.lab.stats.Verdict.SLOWER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class ContrastTest {
    private static final double[] HUNDRED = {99, 101, 100, 98, 102};
    private static final double[] TWO_HUNDRED = {198, 202, 200, 196, 204};

    @Test
    void twice_the_rate_is_faster_and_half_of_it_slower() {
        assertEquals(FASTER, Contrast.paired(TWO_HUNDRED, HUNDRED).verdict(Better.MORE));
        assertEquals(SLOWER, Contrast.paired(HUNDRED, TWO_HUNDRED).verdict(Better.MORE));
    }

    @Test
    void twice_the_cost_is_slower() {
        assertEquals(SLOWER, Contrast.paired(TWO_HUNDRED, HUNDRED).verdict(Better.LESS));
    }

    @Test
    void the_same_values_show_no_difference() {
        assertEquals(NO_DIFFERENCE_SHOWN, Contrast.paired(HUNDRED, HUNDRED).verdict(Better.MORE));
    }

    @Test
    void intervals_that_overlap_show_no_difference() {
        var wide = new double[] {90, 130, 110, 105, 101};
        assertEquals(NO_DIFFERENCE_SHOWN, Contrast.unpaired(wide, HUNDRED).verdict(Better.MORE));
    }

    @Test
    void one_round_shows_no_difference_however_large() {
        var contrast = Contrast.paired(new double[] {900}, new double[] {1});
        assertEquals(NO_DIFFERENCE_SHOWN, contrast.verdict(Better.MORE));
    }

    @Test
    void a_large_difference_shows_in_three_rounds() {
        var contrast = Contrast.paired(new double[] {150, 152, 149}, new double[] {100, 101, 99});
        assertEquals(FASTER, contrast.verdict(Better.MORE));
    }

    @Test
    void a_machine_that_slows_down_leaves_paired_ratios_alone() {
        var baseline = new double[] {100, 80, 60, 40, 20};
        var half = new double[] {50, 40, 30, 20, 10};
        var ratio = Ratios.paired(half, baseline);
        assertEquals(0.5, ratio.median(), 1e-12);
        assertEquals(0.5, ratio.interval().low(), 1e-12);
        assertEquals(0.5, ratio.interval().high(), 1e-12);
    }

    @Test
    void ratio_of_medians_needs_no_equal_number_of_rounds() {
        var ratio = Ratios.ofMedians(TWO_HUNDRED, new double[] {100, 99, 101, 100, 100, 100, 100});
        assertEquals(2, ratio.median(), 1e-12);
        assertTrue(ratio.interval().contains(2));
        assertFalse(ratio.interval().contains(1));
    }

    @Test
    void pairs_of_unequal_number_are_refused() {
        var refused = assertThrows(IllegalArgumentException.class, () -> Ratios.paired(HUNDRED, new double[] {1, 2}));
        assertTrue(refused.toString().contains("5 values cannot be paired with 2"), refused.toString());
    }

    @Test
    void nothing_is_a_multiple_of_zero() {
        assertFalse(Ratios.paired(HUNDRED, new double[5]).isKnown());
        assertFalse(Ratios.ofMedians(new double[5], HUNDRED).isKnown());
    }

    /// Two samples of the same distribution, as two copies of one server give them: a verdict other than "no
    /// difference shown" is a false alarm.
    @ParameterizedTest
    @EnumSource
    void cries_wolf_in_fewer_than_one_in_ten_comparisons_of_the_same(Distribution distribution) {
        for (var rounds : new int[] {2, 3, 4, 5, 7, 10, 20}) {
            var paired = falseAlarms(distribution, rounds, true);
            var unpaired = falseAlarms(distribution, rounds, false);
            assertTrue(paired < TRIALS / 10, paired + " false alarms paired, " + rounds + " rounds");
            assertTrue(unpaired < TRIALS / 10, unpaired + " false alarms unpaired, " + rounds + " rounds");
        }
    }

    private static final int TRIALS = 400;

    private static int falseAlarms(Distribution distribution, int rounds, boolean isPaired) {
        var random = new SplittableRandom(31L * rounds + distribution.name().hashCode());
        var alarms = 0;
        for (var trial = 0; trial < TRIALS; trial++) {
            var one = distribution.sample(rounds, random);
            var other = distribution.sample(rounds, random);
            var contrast = isPaired ? Contrast.paired(one, other) : Contrast.unpaired(one, other);
            alarms += contrast.verdict(Better.MORE) == NO_DIFFERENCE_SHOWN ? 0 : 1;
        }
        return alarms;
    }

    /// A verdict that never alarmed would pass the test above.
    @Test
    void finds_a_difference_of_five_deviations_in_five_noisy_rounds_most_of_the_time() {
        var random = new SplittableRandom(7);
        var found = 0;
        for (var trial = 0; trial < TRIALS; trial++) {
            var baseline = Distribution.NORMAL.sample(5, random);
            var better = Distribution.NORMAL.sample(5, random);
            for (var i = 0; i < better.length; i++) {
                better[i] += 15;
            }
            found += Contrast.paired(better, baseline).verdict(Better.MORE) == FASTER ? 1 : 0;
        }
        assertTrue(found > TRIALS * 9 / 10, found + " of " + TRIALS);
    }
}
