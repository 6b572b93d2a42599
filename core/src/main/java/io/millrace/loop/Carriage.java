package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The virtual threads that a loop carries: those of sessions and handlers that may run on its thread. Used by the
/// loop, except where noted.
final class Carriage {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");

    /// After a long turn, each thread is timed for so many turns.
    private static final int CLOSER_TURNS = 100;

    private final EventLoop loop;
    private final CarriedThreads living = new CarriedThreads();
    private final CarriedCalls calls;

    /// The threads that may resume; a snapshot of them runs between deliveries.
    private final ArrayDeque<CarriedThread> ready = new ArrayDeque<>();

    /// The thread that runs now; written by the loop, read by the watchdog.
    private final AtomicReference<@Nullable CarriedThread> running = new AtomicReference<>();

    private int closerTurns;

    /// How often a thread was left to the JDK's scheduler, how often one has resumed there or in a spare thread,
    /// and how often one of these is not known to keep threads.
    private final AtomicLong leftElsewhere = new AtomicLong();

    private final AtomicLong wentOnElsewhere = new AtomicLong();
    private final AtomicLong innocentsWentOn = new AtomicLong();

    Carriage(EventLoop loop) {
        this.loop = loop;
        this.calls = new CarriedCalls(loop);
    }

    CarriedCalls calls() {
        return calls;
    }

    /// The threads that have not ended; any thread may look.
    CarriedThreads living() {
        return living;
    }

    boolean isWaiting() {
        return !ready.isEmpty() || calls.areWaiting();
    }

    void add(CarriedThread thread) {
        ready.add(thread);
    }

    /// Runs the threads that are ready now: one that yields resumes in the next turn, so it cannot keep the loop
    /// from its connections.
    boolean runReady() {
        int count = ready.size();
        for (int i = 0; i < count; i++) goOn(ready.remove());
        return count > 0;
    }

    private void goOn(CarriedThread thread) {
        try {
            thread.resume();
        } catch (Throwable e) {
            loop.failed("thread", e);
        }
    }

    /// The loop is closed: the JDK's scheduler takes over.
    void leave() {
        while (!ready.isEmpty()) ready.remove().goAway();
    }

    /// Sets the thread that runs from now on.
    void runs(@Nullable CarriedThread thread) {
        loop.totals().steps.add(1);
        running.setRelease(thread);
    }

    /// The virtual thread that runs on the loop's thread: for that thread itself, and for the watchdog.
    @Nullable
    CarriedThread running() {
        return running.getAcquire();
    }

    // The loop's own work.

    /// The loop's own work begins: the thread that does it stays with the loop until [#ends], even if it has to
    /// wait.
    ///
    /// @return that thread; null for the loop's own
    @Nullable
    CarriedThread begins() {
        var here = running.getPlain();
        if (here != null) here.begins();
        return here;
    }

    static void ends(@Nullable CarriedThread here) {
        if (here != null) here.ends();
    }

    // Which threads may run here.

    /// Whether each thread is timed.
    boolean looksCloser() {
        return closerTurns > 0;
    }

    void turnIsOver(boolean wasLong) {
        if (wasLong) closerTurns = CLOSER_TURNS;
        else if (closerTurns > 0) closerTurns--;
    }

    /// The code that a thread runs is carried from now on; any thread.
    void earned(CarriedThread thread, long inNanos) {
        if (FlightEvents.areOn()) new FlightEvents.LoopEarned(loop.name(), thread.what(), inNanos).commit();
        LOG.log(
                Level.DEBUG,
                "{0}: the code of {1} has earned the loop, in {2} ms",
                loop.name(),
                thread.what(),
                inNanos / 1_000_000);
    }

    /// The code that a thread runs has lost the loop, because it took too long too often.
    void lost(CarriedThread thread, long nanos) {
        CoreGuards.LOOP_KEPT.acted(
                loop.name(),
                thread.what() + " kept the event loop for " + nanos / 1_000_000 + " ms, and more than one percent of "
                        + "the time; its code runs on the JDK's scheduler until it has earned the loop again");
    }

    // Threads that run elsewhere; any thread.

    /// A thread waits for one of the JDK scheduler's threads.
    void waitsElsewhere() {
        leftElsewhere.incrementAndGet();
        loop.hasWork();
    }

    /// It has got one, or a spare one.
    void goesOnElsewhere(boolean isInnocent) {
        wentOnElsewhere.incrementAndGet();
        if (isInnocent) innocentsWentOn.incrementAndGet();
    }

    long leftElsewhere() {
        return leftElsewhere.get();
    }

    long wentOnElsewhere() {
        return wentOnElsewhere.get();
    }

    long innocentsWentOn() {
        return innocentsWentOn.get();
    }

    // Threads that live.

    void isBorn(CarriedThread thread) {
        living.add(thread);
    }

    /// By the thread itself, wherever it is.
    void isOver(CarriedThread thread) {
        if (thread.place < 0) living.removeElsewhere(thread);
        else if (loop.inLoop()) living.remove(thread);
        else loop.returned(() -> living.remove(thread));
    }

    /// Resumes elsewhere what waits for this stuck loop; by the watchdog.
    void goElsewhere() {
        living.goElsewhere();
        calls.goElsewhere();
    }
}
