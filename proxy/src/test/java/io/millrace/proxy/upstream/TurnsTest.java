package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TurnsTest {
    @Test
    void equal_weights_take_turns() {
        var turns = Turns.of(new int[] {7, 7, 7, 7});
        Arrays.sort(turns);
        assertArrayEquals(new int[] {0, 1, 2, 3}, turns);
    }

    @Test
    void each_has_as_many_turns_as_its_weight_says() {
        Upstreams.forEachSeed(300, random -> {
            var weights = random.ints(1 + random.nextInt(20), 1, 100).toArray();
            var counts = counts(Turns.of(weights), weights.length);
            for (int i = 1; i < weights.length; i++) {
                assertEquals((long) counts[0] * weights[i], (long) counts[i] * weights[0]);
            }
        });
    }

    @Test
    void turns_of_one_are_evenly_spread() {
        Upstreams.forEachSeed(300, random -> {
            var weights = random.ints(1 + random.nextInt(20), 1, 100).toArray();
            var turns = Turns.of(weights);
            var counts = counts(turns, weights.length);
            for (int place = 0; place < weights.length; place++) {
                int most = turns.length / counts[place] + weights.length + 1;
                int gap = longestGap(turns, place);
                assertTrue(gap <= most, () -> "a gap of " + gap + " in a round of " + turns.length);
            }
        });
    }

    @Test
    void large_weights_are_rounded_and_nobody_is_left_out() {
        Upstreams.forEachSeed(100, random -> {
            var weights =
                    random.ints(2 + random.nextInt(50), 1, Integer.MAX_VALUE).toArray();
            weights[0] = 1;
            var turns = Turns.of(weights);
            assertTrue(turns.length <= 4096 + weights.length, "a round of " + turns.length);
            long all = Arrays.stream(weights).asLongStream().sum();
            var counts = counts(turns, weights.length);
            for (int i = 0; i < weights.length; i++) {
                double expected = (double) weights[i] / all * turns.length;
                assertTrue(counts[i] >= 1 && Math.abs(counts[i] - expected) <= 0.02 * expected + 1);
            }
        });
    }

    private static int[] counts(int[] turns, int places) {
        var counts = new int[places];
        for (int place : turns) counts[place]++;
        return counts;
    }

    private static int longestGap(int[] turns, int place) {
        int longest = 0;
        int gap = 0;
        for (int i = 0; i < 2 * turns.length; i++) {
            gap = turns[i % turns.length] == place ? 0 : gap + 1;
            longest = Math.max(longest, gap);
        }
        return longest;
    }
}
