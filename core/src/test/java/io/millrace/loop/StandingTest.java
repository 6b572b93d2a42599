package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StandingTest {
    private static final long SHORT = 20_000;

    private final Standing standing = new Standing(1000);

    @Test
    void a_thousand_short_runs_earn_the_loop() {
        for (int i = 0; i < 999; i++) assertFalse(standing.ran(SHORT));
        assertFalse(standing.hasEarned());
        assertTrue(standing.ran(SHORT));
        assertTrue(standing.hasEarned());
    }

    @Test
    void with_nothing_to_earn_it_has_the_loop_from_the_start() {
        assertTrue(new Standing(0).hasEarned());
    }

    /// Its average is what counts: a call of 100 ms takes the credit of a thousand short ones.
    @Test
    void code_that_keeps_its_thread_in_each_thousandth_run_never_earns_the_loop() {
        for (int i = 0; i < 1_000_000; i++) {
            standing.ran(i % 1000 == 0 ? millis(100) : SHORT);
            assertFalse(standing.hasEarned());
        }
    }

    @Test
    void code_that_keeps_its_thread_once_in_a_hundred_thousand_runs_earns_it() {
        standing.ran(millis(600));
        assertTrue(runsToEarn() <= 7000);
    }

    @Test
    void who_kept_the_loop_has_to_do_better_each_time() {
        assertEquals(1000, runsToEarn());
        assertTrue(standing.lose(0));
        assertFalse(standing.lose(0));
        assertEquals(1000, runsToEarn());
        for (long needed = 2000; needed < 1 << 20; needed *= 2) {
            standing.lose(0);
            assertEquals(needed, runsToEarn());
        }
        standing.lose(0);
        assertEquals(1 << 20, runsToEarn());
    }

    @Test
    void what_was_ten_minutes_ago_is_forgotten() {
        runsToEarn();
        standing.lose(0);
        runsToEarn();
        standing.lose(millis(1));
        assertEquals(2000, runsToEarn());
        standing.lose(Duration.ofMinutes(11).toNanos());
        assertEquals(1000, runsToEarn());
    }

    /// One percent of the loop's time is what all of it may take beyond a millisecond each.
    @Test
    void code_that_takes_two_milliseconds_each_time_loses_the_loop() {
        runsToEarn();
        long now = 0;
        int times = 1;
        while (!standing.overran(millis(1), now += millis(4))) times++;
        assertTrue(times > 100 && times < 110, () -> "lost it after some hundred times");
        assertFalse(standing.hasEarned());
    }

    @Test
    void code_that_overruns_for_less_than_a_percent_of_the_time_keeps_it() {
        runsToEarn();
        long now = 0;
        for (int i = 0; i < 100_000; i++) assertFalse(standing.overran(millis(1), now += millis(101)));
        assertTrue(standing.hasEarned());
    }

    private int runsToEarn() {
        int runs = 1;
        while (!standing.ran(SHORT)) runs++;
        return runs;
    }

    private static long millis(long count) {
        return count * 1_000_000;
    }
}
