package io.millrace.loop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Whether the code of a server's sessions or handlers may run on the thread of its connection's event loop: it
/// earns that on the JDK's scheduler, by going on many times and never keeping its thread for long, and loses it by
/// keeping the loop. Any thread.
///
/// ```
///              each time it goes on: +1, or -10 for each millisecond (2,500 at most)
///   WATCHED ───────────────────── credit ≥ needed ─────────────────────► TRUSTED
///   the JDK's scheduler                                                  the loop
///      ▲                                                                    │
///      └─────── kept the loop for 10 ms at once, or for 1 % of its time ────┘
///               needed doubles, or is as at first when that is long ago
/// ```
/// Time is counted in times to go on, so that one who offends once in a hundred thousand soon needs more of them than
/// that to come back, and one who offends once because the machine was busy needs a few milliseconds.
public final class Standing {
    /// How often code goes on before it has earned the loop, unless the settings say otherwise.
    public static final int STANDARD_NEEDED = 1000;

    /// What may take this long keeps nobody.
    static final long SHORT_NANOS = 1_000_000;

    private static final long MOST_NEEDED = 1 << 20;
    private static final long DEBT = -100_000;

    /// Half a second, in several times: a pause of the machine is one, and classes that are loaded and code that is not
    /// compiled yet take less.
    private static final long KEEPS_THREADS = -5_000;

    private static final long MOST_PENALTY = 2_500;

    /// So many spare threads may be its own: code that ends late, or never, must not have all of them.
    private static final int MOST_SPARES = 8;

    private static final long PENALTY = 10;
    private static final long FORGOTTEN_NANOS = 600_000_000_000L;

    /// Time above [#SHORT_NANOS] that the loop has for it, and in how much time it is there again.
    private static final long SPARE_NANOS = 100_000_000;

    private static final int SPARE_SHARE = 100;

    private final int firstNeeded;
    private final AtomicLong credit = new AtomicLong();
    private final AtomicReference<Needed> needed;
    private final AtomicInteger spares = new AtomicInteger();

    /// Written when it changes, read each time a thread may go on.
    private volatile boolean hasEarned;

    /// Since when it earns the loop: the first time that it has gone on begins, or it has lost it.
    private volatile long sinceNanos;

    private volatile boolean hasBegun;

    /// That of the same code while its loop is stuck; made when that happens first.
    private volatile @Nullable Standing elsewhere;

    // By the thread of one of the loops, one at a time in what matters; a lost update is a millisecond more or less.
    private long spareNanos = SPARE_NANOS;
    private long sparedNanos;

    /// @param credit   what earns the loop
    /// @param lostNanos when it was last lost, if ever
    private record Needed(long credit, boolean wasLost, long lostNanos) {}

    /// @param needed how often code has to go on first; with 0 the loop is its own from the start
    Standing(int needed) {
        firstNeeded = needed;
        hasEarned = needed == 0;
        this.needed = new AtomicReference<>(new Needed(needed, false, 0));
    }

    boolean hasEarned() {
        return hasEarned;
    }

    /// Whether it has kept threads for long that were not its loop's.
    boolean isKnownToKeepThreads() {
        return credit.get() < KEEPS_THREADS;
    }

    /// For what was taken from a stuck loop, though it has earned that one: it does not go back there, and what it
    /// owes is its own.
    Standing elsewhere() {
        var made = elsewhere;
        if (made == null) elsewhere = made = new Standing(Integer.MAX_VALUE);
        return made;
    }

    boolean mayTakeSpare() {
        return spares.get() < MOST_SPARES && !isKnownToKeepThreads();
    }

    void takesSpare() {
        spares.incrementAndGet();
    }

    void returnsSpare() {
        spares.decrementAndGet();
    }

    /// It went on on the JDK's scheduler, up to its next wait.
    ///
    /// @return whether that has earned it the loop
    boolean ran(long nanos) {
        if (hasEarned) return false;
        if (!hasBegun) begin(System.nanoTime() - nanos);
        long overMillis = nanos / SHORT_NANOS;
        long change = overMillis == 0 ? 1 : -Math.min(MOST_PENALTY, PENALTY * overMillis);
        long now = credit.accumulateAndGet(change, (before, by) -> Math.max(DEBT, before + by));
        if (now < needed.get().credit || change < 0) return false;
        credit.set(0);
        hasEarned = true;
        return true;
    }

    private void begin(long nowNanos) {
        sinceNanos = nowNanos;
        hasBegun = true;
    }

    /// How long it took to earn the loop.
    long earnedInNanos() {
        return System.nanoTime() - sinceNanos;
    }

    /// It kept its loop for longer than [#SHORT_NANOS]. By the loop's thread.
    ///
    /// @param overNanos how much longer
    /// @return whether that was too much
    boolean overran(long overNanos, long nowNanos) {
        if (!hasEarned) return false;
        long back = Math.min(SPARE_NANOS, Math.max(0, nowNanos - sparedNanos) / SPARE_SHARE);
        sparedNanos = nowNanos;
        spareNanos = Math.min(SPARE_NANOS, spareNanos + back) - overNanos;
        return spareNanos < 0 && lose(nowNanos);
    }

    /// It goes on elsewhere from its next wait on, until it has earned the loop again.
    ///
    /// @return false when it had not earned it
    boolean lose(long nowNanos) {
        if (!hasEarned) return false;
        needed.updateAndGet(before -> harder(before, nowNanos));
        spareNanos = SPARE_NANOS;
        begin(nowNanos);
        hasEarned = false;
        return true;
    }

    private Needed harder(Needed before, long nowNanos) {
        boolean isForgotten = !before.wasLost || nowNanos - before.lostNanos > FORGOTTEN_NANOS;
        long least = Math.max(firstNeeded, STANDARD_NEEDED);
        return new Needed(isForgotten ? least : Math.min(MOST_NEEDED, before.credit * 2), true, nowNanos);
    }
}
