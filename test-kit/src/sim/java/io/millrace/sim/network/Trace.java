package io.millrace.sim.network;

import java.util.ArrayDeque;
import java.util.List;

/// What happened in a simulation, in order: a fingerprint of everything, and the last events as text.
public final class Trace {
    private static final int KEPT = 512;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final ArrayDeque<Entry> kept = new ArrayDeque<>(KEPT);
    private long count;
    private long hash;

    /// One thing, or several of the same kind in a row.
    private static final class Entry {
        final long atNanos;
        final String what;
        final long who;
        long amount;
        int times;

        Entry(long atNanos, String what, long who) {
            this.atNanos = atNanos;
            this.what = what;
            this.who = who;
        }

        @Override
        public String toString() {
            return String.format("%,18d ns  #%-4d %-10s %,d%s", atNanos, who, what, amount, times());
        }

        private String times() {
            return times == 1 ? "" : " in " + times;
        }
    }

    /// Records an event in the fingerprint only.
    public void mark(long nowNanos, long who) {
        count++;
        hash = mix(mix(hash, nowNanos), who);
    }

    /// Records an event in the fingerprint and for [#last].
    ///
    /// @param what   a constant
    /// @param who    an id, the same in each run of a seed
    /// @param amount how much
    public void note(long nowNanos, String what, long who, long amount) {
        mark(nowNanos, who);
        hash = mix(mix(hash, what.hashCode()), amount);
        var last = kept.peekLast();
        if (last == null || !last.what.equals(what) || last.who != who) {
            if (kept.size() == KEPT) kept.remove();
            last = new Entry(nowNanos, what, who);
            kept.add(last);
        }
        last.amount += amount;
        last.times++;
    }

    /// Two runs with the same fingerprint were the same, event by event.
    public long fingerprint() {
        return mix(hash, count);
    }

    /// The last events, one in a line: when, to whom, what, how much.
    public List<String> last() {
        return kept.stream().map(Entry::toString).toList();
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * PRIME;
        return mixed ^ (mixed >>> 29);
    }
}
