package io.millrace.http.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/// The ways in which an input arrives: in one piece, byte by byte, and in pieces that depend on the input alone,
/// so that a run can be repeated.
public final class Cuts {
    private static final int ALL_OF = 48;
    private static final int BYTE_BY_BYTE = 700;
    private static final int SOME = 3;

    private Cuts() {}

    /// Where each of the ways cuts, in ascending order; the first one does not.
    public static List<int[]> of(byte[] input) {
        var ways = new ArrayList<int[]>();
        ways.add(new int[0]);
        int length = input.length;
        if (length <= BYTE_BY_BYTE) ways.add(IntStream.range(1, length).toArray());
        if (length <= ALL_OF) {
            IntStream.range(1, length).forEach(at -> ways.add(new int[] {at}));
            return ways;
        }
        var random = new Random(Arrays.hashCode(input));
        for (int i = 0; i < SOME; i++) {
            ways.add(random.ints(1 + random.nextInt(5), 1, length)
                    .sorted()
                    .distinct()
                    .toArray());
        }
        return ways;
    }
}
