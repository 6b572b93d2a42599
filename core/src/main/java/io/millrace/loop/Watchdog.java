package io.millrace.loop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The thread that watches a group's loops ([LoopWatch]), every ten milliseconds while one of them turns, or one of
/// their threads waits for the JDK's scheduler. Otherwise it sleeps until it is woken.
///
/// It uses nothing that a loop could hold, and its lines are logged as the loops' own are.
final class Watchdog implements AutoCloseable {
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// If the watchdog itself was delayed, by a garbage collection or a busy machine, it does not blame loops.
    private static final long LATE_NANOS = LOOK_NANOS + LOOK_NANOS / 2;

    private static final int QUIET_LOOKS = 3;

    private final List<LoopWatch> watches = new ArrayList<>();
    private final Thread thread;

    /// Written by itself, and by threads that wake it.
    private volatile boolean isAsleep;

    private volatile boolean isClosed;

    /// @param threads those of the loops, in the same order
    /// @param stall   how long a turn may take before it is reported; zero for no limit
    Watchdog(String name, List<EventLoop> loops, List<Thread> threads, Duration stall) {
        for (int i = 0; i < loops.size(); i++) watches.add(new LoopWatch(loops.get(i), threads.get(i), stall));
        this.thread = Thread.ofPlatform().name(name + "-watchdog").daemon().unstarted(this::watch);
    }

    void start() {
        SpareThreads.prepare();
        for (var watch : watches) watch.loop.isLookedAfterBy(this);
        thread.start();
    }

    private void watch() {
        int quiet = 0;
        long looked = System.nanoTime();
        while (!isClosed) {
            if (quiet == QUIET_LOOKS) {
                sleep();
                quiet = 0;
                looked = System.nanoTime();
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
            long now = System.nanoTime();
            if (now - looked < LOOK_NANOS / 2) continue;
            quiet = look(now - looked < LATE_NANOS) ? quiet + 1 : 0;
            looked = System.nanoTime();
        }
    }

    /// @return whether no loop has turned
    private boolean look(boolean isInTime) {
        boolean isQuiet = true;
        for (var watch : watches) isQuiet &= watch.look(isInTime);
        return isQuiet;
    }

    private void sleep() {
        isAsleep = true;
        // A loop that begins to turn now sees that it is asleep, or is seen.
        boolean mayRest = true;
        for (var watch : watches) mayRest &= watch.loop.isAtRest();
        while (mayRest && isAsleep && !isClosed) LockSupport.park(this);
        isAsleep = false;
    }

    /// Called when a loop begins to turn, or a thread begins to wait elsewhere; any thread.
    void hears() {
        if (!isAsleep) return;
        isAsleep = false;
        LockSupport.unpark(thread);
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
