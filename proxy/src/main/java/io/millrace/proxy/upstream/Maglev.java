package io.millrace.proxy.upstream;

import io.millrace.http.operation.Mix;
import java.util.Arrays;

/// A table from keys to places, after "Maglev: A Fast and Reliable Software Network Load Balancer" (NSDI
/// 2016, section 3.4): shares are even within a percent or so, and if one of n places is added or removed,
/// about 1/n of the keys move. Immutable.
///
/// Each place has its own permutation of the table's entries, and takes the next free one at its turn; a
/// place of half the weight has half as many turns. The number of entries is as in the paper: a prime, a
/// hundred times the places.
final class Maglev {
    private static final int SMALL = 65_537;
    private static final int LARGE = 655_373;

    private final int[] places;

    /// @param names a number for each place that does not depend on the others, nor on the process
    /// @param weights of each, 1 or more
    Maglev(long[] names, int[] weights) {
        int size = names.length <= SMALL / 100 ? SMALL : LARGE;
        this.places = new int[size];
        Arrays.fill(places, -1);
        fill(names, weights);
    }

    private void fill(long[] names, int[] weights) {
        int size = places.length;
        var next = new int[names.length];
        var step = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            next[i] = Mix.below(size, Mix.mix(names[i]));
            step[i] = 1 + Mix.below(size - 1, Mix.mix(names[i] + Mix.STEP));
        }
        long heaviest = Arrays.stream(weights).max().orElse(1);
        var due = new long[names.length];
        for (int filled = 0; ; ) {
            for (int i = 0; i < names.length; i++) {
                due[i] += weights[i];
                if (due[i] < heaviest) continue;
                due[i] -= heaviest;
                while (places[next[i]] >= 0) next[i] = after(next[i], step[i], size);
                places[next[i]] = i;
                next[i] = after(next[i], step[i], size);
                if (++filled == size) return;
            }
        }
    }

    private static int after(int entry, int step, int size) {
        int next = entry + step;
        return next < size ? next : next - size;
    }

    /// The place of a key, which must be mixed already.
    int at(long mixed) {
        return places[Mix.below(places.length, mixed)];
    }
}
