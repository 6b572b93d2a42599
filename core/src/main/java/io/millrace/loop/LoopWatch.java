package io.millrace.loop;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the watchdog knows of one loop. When that has been in one turn for ten milliseconds:
///
/// - what could go on, and waits for the loop to run it, goes on on the JDK's scheduler;
/// - a carried thread that has made no step since the last look keeps the loop, and its code loses it ([Standing]);
/// - one that waits for a loop, and cannot leave its own meanwhile, has to give up ([LoopWait]);
/// - a session that has the lock which the loop waits for, and waits for the loop itself, has to give up.
///
/// And when the JDK's scheduler has been stuck for as long, spare threads take its place ([SpareThreads]).
///
/// Each is told once, with the stack of who kept the loop; a long turn with the lock it waits for, and who has that.
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

    /// What to tell of the turn under way when it is over, and nothing was told of it before.
    private @Nullable String kept;

    private boolean isTold;

    /// Who waited in the loop's thread at the last look, and which of its waits that was.
    private @Nullable LoopWait lastWait;

    private int lastNumber;

    LoopWatch(EventLoop loop, Thread thread, Duration stall) {
        this.loop = loop;
        this.thread = thread;
        this.stallNanos = stall.toNanos();
    }

    /// Looks once.
    ///
    /// @param isInTime whether the last look is no longer ago than it should be
    /// @return whether the loop has not turned since, and rests
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

    /// @return whether nobody waits for the JDK's scheduler
    private boolean lookElsewhere() {
        long innocents = loop.carriage().innocentsWentOn();
        long wentOn = loop.carriage().wentOnElsewhere();
        long left = loop.carriage().leftElsewhere();
        // Somebody has waited since the last look, and nobody has gone on but those that keep threads.
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
        kept = carried.what() + " kept the event loop for " + busyNanos / 1_000_000 + " ms or more; its code goes on on"
                + " the JDK's scheduler until it has earned the loop again" + stack(user);
    }

    /// It hears of it at the second look, because at the first it may be about to leave.
    private void lookAtWait(CarriedThread carried, Thread user) {
        var wait = wait(user);
        if (wait == null || !isStillIn(carried, user)) return;
        int number = wait.number();
        if (wait.equals(lastWait) && number == lastNumber) wait.giveUp(user, number, LoopWait.PINNED);
        lastWait = wait;
        lastNumber = number;
    }

    /// What it waits for that a loop brings about; null when that is nothing.
    private static @Nullable LoopWait wait(Thread user) {
        return LockSupport.getBlocker(user) instanceof LoopWait wait ? wait : null;
    }

    /// Whether it waits in the loop's thread: one that has left it waits, too.
    private boolean isStillIn(CarriedThread carried, Thread user) {
        var state = user.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && carried.equals(loop.carriage().running())
                && loop.totals().steps.get() == lastSteps;
    }

    private void tell(@Nullable CarriedThread carried, long busyNanos) {
        isTold = true;
        kept = null;
        // Whoever reads the line finds it counted.
        loop.totals().stalls.add(1);
        var user = carried == null ? null : carried.thread();
        var stack = stack(user);
        if (FlightEvents.areOn()) new FlightEvents.Stalled(loop.name(), busyNanos, stack).commit();
        var told = "the turn has been running for " + busyNanos / 1_000_000 + " ms: ";
        var lock = AwaitedLock.of(thread);
        CoreGuards.STALL.acted(
                loop.name(), told + remedy(carried) + lock.map(this::resolved).orElse("") + stack);
    }

    /// A session that has the lock, and waits for a connection of this loop, would wait for ever.
    private String resolved(AwaitedLock lock) {
        var told = "; it waits for " + lock.lock() + ", which \"" + lock.owner() + "\" has";
        var owner = loop.carriage().living().thread(lock.id());
        var wait = owner == null ? null : wait(owner);
        if (owner == null || wait == null || !wait.isEndedBy(loop)) return told;
        int number = wait.number();
        // It has the lock, and has been in that wait since before.
        boolean isSame = lock.equals(AwaitedLock.of(thread).orElse(null)) && wait.equals(wait(owner));
        if (!isSame || number != wait.number()) return told;
        wait.giveUp(owner, number, LoopWait.LOCKED);
        return told + ", and waits for this event loop: that wait is broken off; what is held across a wait must not be"
                + " taken in a callback of the same loop";
    }

    /// Of the virtual thread that the loop runs, whose frames the loop's own stack does not show; otherwise of the
    /// loop. Neither waits for what the thread waits for: a thread that is mounted shows its frames at its next
    /// safepoint, and one that has left the loop meanwhile is stopped for the moment this takes.
    private String stack(@Nullable Thread mounted) {
        return Arrays.stream((mounted == null ? thread : mounted).getStackTrace())
                .limit(STACK_LINES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }

    private static String remedy(@Nullable CarriedThread carried) {
        if (carried == null) {
            return "a callback, a task or a timer keeps the event loop: move what blocks or computes to"
                    + " loop.blocking(…), or run the handlers with Dispatch.pool(n)";
        }
        return carried.what() + " keeps the event loop, which it leaves only where it waits for a connection, a lock or"
                + " a time; from there on its code goes on on the JDK's scheduler, until it has earned the loop again."
                + " Where that happens again and again, move what computes, reads files, looks up names or is in native"
                + " code to loop.blocking(…)"
                + (carried.work == CarriedThread.CarriedWork.CALLS ? ", take Dispatch.pool(n)" : "") + ", or "
                + WITHOUT_CARRIERS;
    }
}
