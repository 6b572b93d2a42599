package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.UpstreamLimits;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
    private static final long START = Upstreams.START;
    private static final long SECOND = 1_000_000_000;

    @Test
    void under_steady_load_a_share_of_all_and_some_each_second_are_tried_again() {
        Upstreams.forEachSeed(20, random -> {
            int percent = random.nextInt(101);
            int perSecond = random.nextInt(20);
            int rate = 1 + random.nextInt(2000);
            int seconds = 200;
            var budget = budget(percent, perSecond);
            for (long i = 0; i < (long) rate * seconds; i++) {
                budget.asked();
                budget.take(START + i * SECOND / rate);
            }
            // And what was there at the beginning.
            double most = Math.min(rate, rate * percent / 100.0 + perSecond) * seconds + 10.0 * perSecond + 1;
            assertTrue(budget.retries() <= most, () -> budget.retries() + " instead of " + most);
            assertTrue(budget.retries() >= 0.95 * most - 20 * perSecond - 2, () -> budget.retries() + " of " + most);
        });
    }

    @Test
    void a_quiet_day_does_not_pay_for_a_storm() {
        var budget = budget(20, 3);
        for (int i = 0; i < 1_000_000; i++) budget.asked();
        long now = START + 86_400 * SECOND;
        int taken = 0;
        while (budget.take(now)) taken++;
        // Ten seconds of 11.6 requests each, of which a fifth, and of 3.
        assertEquals(53, taken, 1);
    }

    @Test
    void an_upstream_without_load_has_some_each_second() {
        var budget = budget(0, 2);
        while (budget.take(START)) assertTrue(budget.retries() <= 20);
        assertFalse(budget.take(START + SECOND / 4));
        assertTrue(budget.take(START + SECOND));
    }

    @Test
    void without_a_budget_nothing_is_tried_again_and_the_guard_counts() {
        var budget = budget(0, 0);
        budget.asked();
        long before = ProxyGuards.UPSTREAM_RETRIES.count();
        assertFalse(budget.take(START + 1000 * SECOND));
        assertEquals(before + 1, ProxyGuards.UPSTREAM_RETRIES.count());
    }

    @Test
    void a_clock_that_is_a_turn_behind_does_no_harm() {
        var budget = budget(100, 1);
        assertTrue(budget.take(START + SECOND));
        budget.asked();
        assertTrue(budget.take(START));
        assertTrue(budget.take(START + SECOND));
    }

    private static RetryBudget budget(int percent, int perSecond) {
        var limits = UpstreamLimits.standard().retryPercent(percent).retriesPerSecond(perSecond);
        return new RetryBudget("test", limits, START);
    }
}
