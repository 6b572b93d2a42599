package io.millrace.loop;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the watchdog knows about one loop. When that has been in one turn for ten milliseconds:
///
/// - threads that could resume, and wait for the loop to run them, resume on the JDK's scheduler;
/// - a carried thread that has made no step since the last look keeps the loop, and its code loses it ([Standing]);
/// - a thread that waits for a loop, and cannot leave its own meanwhile, has to give up ([LoopWait]);
/// - a session that has the lock which the loop waits for, and waits for the loop itself, has to give up.
///
/// And when the JDK's scheduler has been stuck for as long, spare threads take its place ([SpareThreads]).
///
/// Each is reported once, with the stack of the code that kept the loop; a long turn with the lock that it waits
/// for, and the lock's owner.
final class LoopWatch {
    private static final int STACK_LINES = 24;
    private static final String WITHOUT_CARRIERS =
            "start without carriers (EventLoops.configure().carriers(false), -Dmillrace.noCarriers=true)";

    final EventLoop loop;
    private final Thread thread;
    private final long stallNanos;

    private long lastTurn;
    private long lastSteps;

    private long lastLeft;
    private long lastInnocents;

    /// What to report about the current turn when it is over, unless it was reported before.
    private @Nullable String kept;

    private boolean isTold;

    /// What the loop's thread waited in at the last look, and the wait's number.
    private @Nullable LoopWait lastWait;

    private int lastNumber;

    LoopWatch(EventLoop loop, Thread thread, Duration stall) {
        this.loop = loop;
        this.thread = thread;
        this.stallNanos = stall.toNanos();
    }

    /// Looks once.
    ///
    /// @param isInTime whether the last look was not too long ago
    /// @return whether the loop has not turned since, and is at rest
    boolean look(boolean isInTime) {
        try {
            return lookAtTurn(isInTime);
        } catch (RuntimeException | Error e) {
            // A loop whose clock is broken is about to end, and says so itself.
            return true;
        }
    }

    private boolean lookAtTurn(boolean isInTime) {
        if (loop.isClosed()) return true;
        boolean isQuiet = lookElsewhere();
        long busyNanos = loop.busyNanos();
        long turn = loop.totals().turns.get();
        long steps = loop.totals().steps.get();
        boolean isSame = turn == lastTurn;
        boolean isStill = isSame && steps == lastSteps && isInTime;
        lastTurn = turn;
        lastSteps = steps;
        if (!isSame) turnIsOver();
        if (isSame && busyNanos >= Watchdog.LOOK_NANOS) isStuck(busyNanos, isStill);
        return isQuiet && isSame && busyNanos == 0;
    }

    /// @return whether no thread waits for the JDK's scheduler
    private boolean lookElsewhere() {
        long innocents = loop.carriage().innocentsWentOn();
        long wentOn = loop.carriage().wentOnElsewhere();
        long left = loop.carriage().leftElsewhere();
        // A thread has waited since the last look, and only threads that keep threads have resumed.
        boolean isStuck = innocents == lastInnocents && wentOn < lastLeft;
        lastInnocents = innocents;
        lastLeft = left;
        if (isStuck && loop.carriage().living().mayOneGoOn()) SpareThreads.start(loop);
        return wentOn >= left;
    }

    private void turnIsOver() {
        var told = kept;
        kept = null;
        isTold = false;
        if (told != null && stallNanos > 0) CoreGuards.LOOP_KEPT.acted(loop.name(), told);
    }

    private void isStuck(long busyNanos, boolean isStill) {
        loop.carriage().goElsewhere();
        var carried = loop.carriage().running();
        if (carried != null && isStill) keeps(carried, busyNanos);
        if (stallNanos > 0 && busyNanos >= stallNanos && !isTold) tell(carried, busyNanos);
    }

    private void keeps(CarriedThread carried, long busyNanos) {
        var user = carried.thread();
        if (user != null) lookAtWait(carried, user);
        if (!carried.standing().lose(System.nanoTime()) || isTold) return;
        kept = carried.what() + " kept the event loop for " + busyNanos / 1_000_000 + " ms or more; its code runs on "
                + "the JDK's scheduler until it has earned the loop again" + stack(user);
    }

    /// Ended at the second look, because at the first the thread may be about to leave.
    private void lookAtWait(CarriedThread carried, Thread user) {
        var wait = wait(user);
        if (wait == null || !isStillIn(carried, user)) return;
        int number = wait.number();
        if (wait.equals(lastWait) && number == lastNumber) wait.giveUp(user, number, LoopWait.PINNED);
        lastWait = wait;
        lastNumber = number;
    }

    /// Its wait for a loop; null when there is none.
    private static @Nullable LoopWait wait(Thread user) {
        return LockSupport.getBlocker(user) instanceof LoopWait wait ? wait : null;
    }

    /// Whether it waits in the loop's thread: one that has left the loop waits, too.
    private boolean isStillIn(CarriedThread carried, Thread user) {
        var state = user.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && carried.equals(loop.carriage().running())
                && loop.totals().steps.get() == lastSteps;
    }

    private void tell(@Nullable CarriedThread carried, long busyNanos) {
        isTold = true;
        kept = null;
        // Counted before it is logged.
        loop.totals().stalls.add(1);
        var user = carried == null ? null : carried.thread();
        var stack = stack(user);
        if (FlightEvents.areOn()) new FlightEvents.Stalled(loop.name(), busyNanos, stack).commit();
        var told = "the turn has been running for " + busyNanos / 1_000_000 + " ms: ";
        var lock = AwaitedLock.of(thread);
        CoreGuards.STALL.acted(
                loop.name(), told + remedy(carried) + lock.map(this::resolved).orElse("") + stack);
    }

    /// A session that holds the lock, and waits for a connection of this loop, would wait for ever.
    private String resolved(AwaitedLock lock) {
        var told = "; it waits for " + lock.lock() + ", which \"" + lock.owner() + "\" has";
        var owner = loop.carriage().living().thread(lock.id());
        var wait = owner == null ? null : wait(owner);
        if (owner == null || wait == null || !wait.isEndedBy(loop)) return told;
        int number = wait.number();
        // It holds the lock, and has been in that wait since the last look.
        boolean isSame = lock.equals(AwaitedLock.of(thread).orElse(null)) && wait.equals(wait(owner));
        if (!isSame || number != wait.number()) return told;
        wait.giveUp(owner, number, LoopWait.LOCKED);
        return told + ", and waits for this event loop: that wait was ended; a lock held across a wait must not be "
                + "taken in a callback of the same loop";
    }

    /// The stack of the virtual thread that the loop runs, whose frames the loop's own stack does not show;
    /// otherwise the loop's. Reading it does not wait for what the thread waits for: a mounted thread shows its
    /// frames at its next safepoint, and one that has left the loop meanwhile is stopped for that moment.
    private String stack(@Nullable Thread mounted) {
        return Arrays.stream((mounted == null ? thread : mounted).getStackTrace())
                .limit(STACK_LINES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }

    private static String remedy(@Nullable CarriedThread carried) {
        if (carried == null) {
            return "a callback, a task or a timer keeps the event loop: move blocking or computing code to "
                    + "loop.blocking(…), or run the handlers with Dispatch.pool(n)";
        }
        return carried.what() + " keeps the event loop, which it leaves only to wait for a connection, a lock or a "
                + "time; from then on its code runs on the JDK's scheduler, until it has earned the loop again. If "
                + "that happens often, move code that computes, reads files, looks up names or runs native code to "
                + "loop.blocking(…)"
                + (carried.work == CarriedThread.CarriedWork.CALLS ? ", take Dispatch.pool(n)" : "") + ", or "
                + WITHOUT_CARRIERS;
    }
}
