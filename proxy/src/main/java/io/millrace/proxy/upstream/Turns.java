package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import java.util.Arrays;

/// The order of turns for weighted round robin: each place as often as its weight says, evenly spread over
/// the round.
///
/// A place of weight w has its turns 1/w apart, from a start of its own, so that places of equal weight do
/// not come all at once; the round is all turns in order.
///
/// ```
///   weights 5, 1, 1      a a b a c a a
///   weights 1, 1, 1      a b c
/// ```
/// Weights without a small common measure are rounded, to a round of a few thousand turns.
final class Turns {
    private static final int MOST = 4096;
    private static final int INDEX_BITS = 20;

    private Turns() {}

    /// A round.
    ///
    /// @param weights of each place, 1 or more
    /// @return places, turn after turn
    static int[] of(int[] weights) {
        var counts = counts(weights);
        var moments = new long[Math.toIntExact(sum(counts))];
        int turn = 0;
        for (int place = 0; place < counts.length; place++) {
            double first = Mix.share(Mix.STEP * (place + 1));
            for (int i = 0; i < counts[place]; i++) {
                long moment = (long) ((i + first) / counts[place] * (1L << 42));
                moments[turn++] = (moment << INDEX_BITS) | place;
            }
        }
        Arrays.sort(moments);
        var turns = new int[moments.length];
        for (int i = 0; i < turns.length; i++) turns[i] = (int) moments[i] & ((1 << INDEX_BITS) - 1);
        return turns;
    }

    private static int[] counts(int[] weights) {
        int measure = 0;
        for (int weight : weights) measure = commonMeasure(weight, measure);
        long round = measure == 0 ? 0 : sum(weights) / measure;
        double scale = Math.min(1, Math.max(MOST, 8.0 * weights.length) / round);
        var counts = new int[weights.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = Math.max(1, (int) Math.round((double) weights[i] / measure * scale));
        }
        return counts;
    }

    private static int commonMeasure(int a, int b) {
        return b == 0 ? a : commonMeasure(b, a % b);
    }

    private static long sum(int[] numbers) {
        long sum = 0;
        for (int number : numbers) sum += number;
        return sum;
    }
}
