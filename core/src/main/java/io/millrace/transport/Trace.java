package io.millrace.transport;

import java.util.ArrayList;
import java.util.List;

/// What happened in a simulation, in order: a fingerprint of everything, and the last events in words.
public final class Trace {
    private static final int KEPT = 512;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final long[] atNanos = new long[KEPT];
    private final String[] what = new String[KEPT];
    private final long[] who = new long[KEPT];
    private final long[] amount = new long[KEPT];
    private long count;
    private long hash;

    /// @param what   a constant
    /// @param who    a number that names one of several, the same in each run of a seed
    /// @param amount how much
    public void note(long nowNanos, String what, long who, long amount) {
        hash = mix(mix(mix(mix(hash, nowNanos), what.hashCode()), who), amount);
        int place = (int) (count++ % KEPT);
        this.atNanos[place] = nowNanos;
        this.what[place] = what;
        this.who[place] = who;
        this.amount[place] = amount;
    }

    /// Two runs with the same fingerprint were the same, event by event.
    public long fingerprint() {
        return mix(hash, count);
    }

    /// How many events there were.
    public long count() {
        return count;
    }

    /// The last events, one in a line: when, what, to whom, how much.
    public List<String> last(int most) {
        long from = Math.max(0, count - Math.min(most, KEPT));
        var lines = new ArrayList<String>();
        for (long i = from; i < count; i++) {
            int place = (int) (i % KEPT);
            lines.add(String.format("%,15d ns  %-16s #%d %d", atNanos[place], what[place], who[place], amount[place]));
        }
        return lines;
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * PRIME;
        return mixed ^ (mixed >>> 29);
    }
}
