package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DeparturesTest {
    private static final long SECOND = 1_000_000_000;

    private static long[] delays(int count, long seconds, long answerSeconds) {
        var all = new Departures(SECOND * seconds);
        var delays = new long[count];
        for (int i = 0; i < count; i++) delays[i] = all.nextNanos(0, SECOND * answerSeconds);
        return delays;
    }

    @Test
    void a_few_are_done_soon() {
        assertEquals(0, delays(1, 30, 5)[0]);
        assertEquals(SECOND, delays(51, 30, 5)[50]);
    }

    @Test
    void many_are_spread_evenly_over_the_time_but_for_that_of_the_last_answers() {
        var perSecond = new int[25];
        for (var delay : delays(10_000, 30, 5)) perSecond[(int) (delay / SECOND)]++;
        assertTrue(Arrays.stream(perSecond).allMatch(count -> count == 400), () -> Arrays.toString(perSecond));
    }

    @Test
    void of_a_short_time_a_quarter_is_for_answers() {
        assertEquals(
                3 * SECOND - 20_000_000,
                Arrays.stream(delays(10_000, 4, 5)).max().orElseThrow());
    }

    @Test
    void when_the_time_is_over_all_go_at_once() {
        var late = new Departures(SECOND);
        assertEquals(0, late.nextNanos(SECOND, SECOND));
        assertEquals(0, late.nextNanos(2 * SECOND, SECOND));
    }
}
