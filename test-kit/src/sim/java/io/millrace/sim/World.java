package io.millrace.sim;

import io.millrace.loop.LoopThreads;
import io.millrace.sim.network.Luck;
import io.millrace.sim.network.MemoryNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Everything that can happen in a simulation, one step at a time, chosen by luck: a turn of a loop, work of a
/// worker or a peer, or an arrival from the network. When nothing is left to do, the time moves on to the next
/// event.
///
/// One thread at a time uses it, and a [Driver] drives it meanwhile; only [#fail] is for any thread.
final class World {
    /// Where clocks begin, so that every run tests their wrapping around.
    private static final long NEAR_THE_END = Long.MAX_VALUE - 2_000_000_000L;

    /// The time of day when a simulation begins, the same in each run: 2000-01-01T00:00:00Z.
    private static final long MIDNIGHT_MILLIS = 946_684_800_000L;

    private static final long MOST_STEPS = 50_000_000;

    final MemoryNetwork network;
    final Luck luck;
    final SimulatedThreads threads;
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final ArrayList<Runnable> runnable = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final String replay;
    private final long originNanos;

    /// How often the network is faster than code with something to do.
    private final double slowness;

    /// How often a virtual thread resumes on its loop.
    private final double carriedShare;

    private final Driver driver = new Driver();
    private boolean isStepping;

    /// The thread that makes it run and waits for it, or acts on it between two runs. Written by that thread,
    /// read by threads that check whether they are part of the run.
    private volatile @Nullable Thread user;

    World(MemoryNetwork network, Luck luck, boolean carries, String replay) {
        this.network = network;
        this.luck = luck;
        this.replay = replay;
        this.threads = new SimulatedThreads(this, carries);
        this.originNanos = luck.chance(0.25) ? NEAR_THE_END : luck.chance(0.25) ? luck.anything() : 0;
        this.slowness = luck.chance(0.5) ? 0 : luck.share() / 2;
        this.carriedShare = luck.chance(0.25) ? 1 : luck.chance(0.25) ? 0 : luck.share();
        use();
    }

    void add(SimulatedLoop loop) {
        loops.add(loop);
    }

    /// The clock of the loops.
    long clockNanos() {
        return originNanos + network.nowNanos();
    }

    /// In milliseconds since the Unix epoch.
    long wallMillis() {
        return MIDNIGHT_MILLIS + network.nowNanos() / 1_000_000;
    }

    /// Whether the virtual thread that resumes now does so on its loop; by the driving thread.
    boolean carries() {
        return luck.chance(carriedShare);
    }

    /// Adds work, which runs at a moment that luck chooses.
    void soon(Runnable work) {
        runnable.add(work);
    }

    // Driving.

    /// Runs until nothing is on its way and no code has anything to do; timers alone do not make time pass.
    void runUntilQuiet() {
        drive(() -> {
            driveUntilQuiet();
            return true;
        });
    }

    private void driveUntilQuiet() {
        for (long steps = 0; step(Long.MAX_VALUE, false); steps++) {
            if (steps == MOST_STEPS) {
                throw new AssertionError(explained("not quiet after " + steps
                        + " steps: something keeps answering itself; drive it with advance(…)"));
            }
        }
        threads.checkNobodySleeps();
    }

    /// Runs until a condition is true, or the network's time has reached a moment.
    ///
    /// @return whether the condition is true
    boolean runUntil(long untilNanos, BooleanSupplier isSo) {
        return drive(() -> driveUntil(untilNanos, isSo));
    }

    private boolean driveUntil(long untilNanos, BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            if (step(untilNanos, true)) continue;
            if (untilNanos != Long.MAX_VALUE) network.advanceTo(untilNanos);
            threads.checkNobodySleeps();
            return isSo.getAsBoolean();
        }
        return true;
    }

    /// Runs work as the driving thread, while the caller waits.
    @SuppressWarnings("ReferenceEquality") // the thread itself
    <T> T drive(Supplier<T> work) {
        // The caller drives already; or it is driven, and will be refused if it waits.
        if (isStepping || Thread.currentThread() == driver.thread()) return work.get();
        use();
        return driver.run(work);
    }

    /// Does the next step, if there is one before a moment of the network's time. By the driving thread.
    ///
    /// @param withTimers whether time passes for timers alone; otherwise only while something is on its way
    boolean step(long untilNanos, boolean withTimers) {
        if (isStepping) {
            throw new IllegalStateException(
                    "code on a simulated loop or session waits for the simulation: only the test" + " may wait for it");
        }
        isStepping = true;
        try {
            threads.awaitMonitors();
            if (isHurried(untilNanos)) network.happen();
            else if (!act() && !threads.isSomebodyOnTheWay() && !passTime(untilNanos, withTimers)) return false;
            return true;
        } finally {
            isStepping = false;
            throwFailure();
        }
    }

    /// Makes the calling thread the user, unless it is driven itself.
    void use() {
        if (!isStepping) user = Thread.currentThread();
    }

    private boolean isHurried(long untilNanos) {
        long next = network.nextEventNanos();
        return luck.chance(slowness) && next <= untilNanos && next != Long.MAX_VALUE;
    }

    private boolean act() {
        int restless = 0;
        for (var loop : loops) if (loop.isRestless()) restless++;
        int choices = runnable.size() + restless;
        if (choices == 0) return false;
        int choice = luck.below(choices);
        if (choice < runnable.size()) take(choice).run();
        else restless(choice - runnable.size()).turn();
        return true;
    }

    private Runnable take(int choice) {
        var last = runnable.removeLast();
        return choice == runnable.size() ? last : runnable.set(choice, last);
    }

    private SimulatedLoop restless(int choice) {
        for (var loop : loops) {
            if (loop.isRestless() && choice-- == 0) return loop;
        }
        throw new AssertionError(choice);
    }

    private boolean passTime(long untilNanos, boolean withTimers) {
        long event = network.nextEventNanos();
        long timer = nextTimerNanos();
        long next = event == Long.MAX_VALUE && !withTimers ? Long.MAX_VALUE : Math.min(event, timer);
        if (next > untilNanos || next == Long.MAX_VALUE) return lookOnceMore();
        if (event <= timer) network.happen();
        else network.advanceTo(timer);
        return true;
    }

    private long nextTimerNanos() {
        long next = Long.MAX_VALUE;
        for (var loop : loops) next = Math.min(next, loop.nextTimerNanos());
        return next == Long.MAX_VALUE ? next : network.nowNanos() + next;
    }

    /// Memory returned by another loop does not wake a loop: a real one looks for it once in a while.
    private boolean lookOnceMore() {
        long before = network.nextEventNanos();
        boolean found = false;
        for (var loop : loops) {
            loop.turn();
            found |= loop.isRestless();
        }
        return found || network.nextEventNanos() != before || !runnable.isEmpty();
    }

    // Failing.

    /// Whether the calling thread is driven by this simulation, so that what it does is part of the run.
    @SuppressWarnings("ReferenceEquality") // the thread itself
    boolean isOurs() {
        var driving = driver.thread();
        if (driving != null && LoopThreads.currentCarrier() == driving) return true;
        return isUser(Thread.currentThread()) || threads.isInLockstep(Thread.currentThread());
    }

    /// Whether a waiting thread makes the simulation run, or is refused.
    @SuppressWarnings("ReferenceEquality") // the thread itself
    boolean isUser(Thread thread) {
        return thread == user || thread == driver.thread();
    }

    /// A thread from outside has woken code of the simulation, at a moment that no seed decides.
    void wokenFromOutside(String whom) {
        var stack = new Throwable("the stack of " + Thread.currentThread());
        fail(new IllegalStateException(
                whom + " was woken by a thread that is not part of the simulation (" + Thread.currentThread()
                        + "): simulated code must not sleep, wait with a timeout, or wait for other threads;"
                        + " let time pass with loop().after(…) and leave other work to loop().blocking(…)",
                stack));
    }

    /// Fails the run; the driving thread throws the cause with its next step. Any thread.
    void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    void throwFailure() {
        var cause = failure.get();
        if (cause != null) throw new AssertionError(explained(String.valueOf(cause.getMessage())), cause);
    }

    /// A message with the line that repeats the run.
    String explained(String message) {
        return message + "\n" + replay;
    }
}
