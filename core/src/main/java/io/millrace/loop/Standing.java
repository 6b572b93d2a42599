package io.millrace.loop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Whether the code of a server's sessions or handlers may run on the thread of its connection's event loop: it
/// earns that on the JDK's scheduler, by resuming many times without keeping its thread for long, and loses it by
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
/// Time is counted in resumptions: code that keeps the loop once in a hundred thousand of them soon needs more
/// than that to return, and code that did so once, because the machine was busy, returns within a few
/// milliseconds.
public final class Standing {
    /// How often code must resume before it has earned the loop, unless the settings say otherwise.
    public static final int STANDARD_NEEDED = 1000;

    /// For sessions with peers that this process connects to.
    static final Standing OF_CLIENTS = new Standing(STANDARD_NEEDED);

    /// A run of this length delays nothing.
    static final long SHORT_NANOS = 1_000_000;

    private static final long MOST_NEEDED = 1 << 20;
    private static final long DEBT = -100_000;

    /// Half a second, in several runs: a pause of the machine is a single one, and class loading and code that is
    /// not compiled yet take less.
    private static final long KEEPS_THREADS = -5_000;

    private static final long MOST_PENALTY = 2_500;

    /// How many spare threads one server's code may have: code that ends late, or never, must not have all of
    /// them.
    private static final int MOST_SPARES = 8;

    private static final long PENALTY = 10;
    private static final long FORGOTTEN_NANOS = 600_000_000_000L;

    /// The time above [#SHORT_NANOS] that the loop allows it, and how long that takes to be refilled.
    private static final long SPARE_NANOS = 100_000_000;

    private static final int SPARE_SHARE = 100;

    private final int firstNeeded;
    private final AtomicLong credit = new AtomicLong();
    private final AtomicReference<Needed> needed;
    private final AtomicInteger spares = new AtomicInteger();

    /// Written when it changes, read each time a thread may resume.
    private volatile boolean hasEarned;

    /// Since when it has been earning the loop: since its first run, or since it lost the loop.
    private volatile long sinceNanos;

    private volatile boolean hasBegun;

    /// The standing of the same code while its loop is stuck; made when that first happens.
    private volatile @Nullable Standing elsewhere;

    // Written by the loops' threads, rarely at the same time; a lost update is a millisecond more or less.
    private long spareNanos = SPARE_NANOS;
    private long sparedNanos;

    /// @param credit   the credit that earns the loop
    /// @param lostNanos when it was last lost, if ever
    private record Needed(long credit, boolean wasLost, long lostNanos) {}

    /// @param needed how often code has to resume first; with 0 it has the loop from the start
    Standing(int needed) {
        firstNeeded = needed;
        hasEarned = needed == 0;
        this.needed = new AtomicReference<>(new Needed(needed, false, 0));
    }

    boolean hasEarned() {
        return hasEarned;
    }

    /// Whether it has kept threads other than its loop's for long.
    boolean isKnownToKeepThreads() {
        return credit.get() < KEEPS_THREADS;
    }

    /// For threads taken from a stuck loop, though they have earned it: they do not go back there, and are
    /// accounted for separately.
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

    /// It ran on the JDK's scheduler, up to its next wait.
    ///
    /// @return whether that earned it the loop
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

    /// From its next wait on it runs elsewhere, until it has earned the loop again.
    ///
    /// @return false when it had not earned the loop
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
