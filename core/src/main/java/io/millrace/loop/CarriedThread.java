package io.millrace.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The scheduler of one virtual thread of ours. Each has its own, because threads that user code starts in it
/// inherit the scheduler (executors, structured scopes, a client's pool), and those are not ours: they would keep
/// the loop from its connections, and each other from running. They go to the JDK's scheduler.
///
/// Each time the thread may resume, its [Standing] says where. A thread that waits for a stuck loop is taken away
/// from it ([#goElsewhere]); so is one that waits for the JDK's scheduler, when that is stuck ([SpareThreads]).
///
/// ```
///                ┌─────────── unparked, has earned the loop ◄──────────┐
///                ▼                                                     │
///   (start) ► QUEUED ── the loop runs it ─► HOME ── unparked ──────────┼──► AWAY_QUEUED ─► AWAY
///                │                           │▲                        ▲                     │
///                └── the loop is stuck ──────┼┼────────────────────────┴────── unparked ─────┘
///                            hold, to use    ▼│ release
///                            what it has    HELD ── unparked ─► HELD_READY
/// ```
/// *HOME* and *AWAY* say where it runs, or ran before its wait. A thread in the middle of work that only the loop
/// may do is *QUEUED_STAYING*, and is not taken away.
final class CarriedThread implements Executor, Runnable {
    private static final VarHandle STATE = field("state", int.class);
    private static final VarHandle IS_IN_POOL = field("isInPool", boolean.class);

    private static final int HOME = 0;
    private static final int QUEUED = 1;
    private static final int AWAY = 2;
    private static final int HELD = 3;
    private static final int HELD_READY = 4;
    private static final int QUEUED_STAYING = 5;
    private static final int AWAY_QUEUED = 6;

    private final EventLoop loop;

    /// What the thread is for.
    final CarriedWork work;

    /// What it does, from its start to its end.
    private final Life life;

    /// Decides where it resumes; a thread that makes several calls has the standing of the current one. Written by
    /// itself.
    private volatile Standing standing;

    /// Its index among its loop's threads, or -1; the loop's.
    int place = -1;

    /// How many nested pieces of the loop's own work it is doing; above 0 it stays on the loop. Written by itself,
    /// on the loop.
    private int staying;

    private volatile int state = HOME;

    /// Whether the JDK's scheduler has it already, so that it is not queued there again each time a spare thread is
    /// faster.
    private volatile boolean isInPool;

    /// The thread's own continuation: the one it is started with, because nothing of it has run before. Written by
    /// the thread that starts it, and cleared by itself at its end, so that threads it started do not retain it.
    private @Nullable Runnable own;

    /// Written once, before any thread that could inherit the scheduler.
    private boolean hasBegun;

    /// Written by itself, read by the watchdog.
    private volatile @Nullable Thread thread;

    enum CarriedWork {
        SESSION,
        CALLS
    }

    @FunctionalInterface
    interface Life {
        void live();
    }

    CarriedThread(EventLoop loop, CarriedWork work, Standing standing, Life life) {
        this.loop = loop;
        this.work = work;
        this.standing = standing;
        this.life = life;
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(CarriedThread.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /// Names it at the beginning of a log line.
    String what() {
        return switch (work) {
            case SESSION -> "a session";
            case CALLS -> "a handler of Dispatch.virtual()";
        };
    }

    /// The thread lives. It waits deep in here, and then each frame of its stack takes memory: few methods.
    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            life.live();
        } finally {
            isOver();
        }
    }

    private void isOver() {
        loop.threads().ended();
        loop.carriage().isOver(this);
        own = null;
        thread = null;
    }

    Standing standing() {
        return standing;
    }

    /// The next call may be another handler's.
    @SuppressWarnings("ReferenceEquality") // the standing itself
    void standing(Standing of) {
        if (standing != of) standing = of;
    }

    // Resuming.

    /// Never rejects, because that would throw in the thread that unparks this one.
    @Override
    @SuppressWarnings("ReferenceEquality") // the continuation itself
    public void execute(Runnable continuation) {
        if (!hasBegun) {
            hasBegun = true;
            own = continuation;
        }
        if (own == continuation) goOn();
        else loop.host().runElsewhere(continuation);
    }

    private void goOn() {
        int next = staying > 0 ? QUEUED_STAYING : loop.host().carries(standing) ? QUEUED : AWAY_QUEUED;
        int before = becomes(next);
        if (before < 0) return;
        // What it has passed to the loop from elsewhere comes first.
        if (next != AWAY_QUEUED) loop.resume(this, before == AWAY, next == QUEUED_STAYING);
        else queueAway();
    }

    private void queueAway() {
        loop.carriage().waitsElsewhere();
        if (!(boolean) IS_IN_POOL.getAndSet(this, true)) loop.host().runElsewhere(this::runInPool);
    }

    /// @return the state before; negative when it is about to resume anyway, or has to wait until it is released
    private int becomes(int next) {
        while (true) {
            int now = (int) STATE.getAcquire(this);
            switch (now) {
                case HOME, AWAY -> {
                    if (STATE.compareAndSet(this, now, next)) return now;
                }
                case HELD -> {
                    if (STATE.compareAndSet(this, HELD, HELD_READY)) return -1;
                }
                // The JVM submits a thread again after its stack was read.
                default -> {
                    return -1;
                }
            }
        }
    }

    /// Resumes on the loop, unless it was taken away from there; by the loop's platform thread.
    void resume() {
        if (!leavesQueueFor(HOME)) return;
        loop.carriage().runs(this);
        try {
            if (loop.carriage().looksCloser()) runTimed();
            else continuation().run();
        } finally {
            loop.carriage().runs(null);
        }
    }

    /// Each of several calls is timed on its own.
    private void runTimed() {
        long steps = loop.totals().steps.get();
        long beganNanos = System.nanoTime();
        continuation().run();
        long now = System.nanoTime();
        long mostNanos = (loop.totals().steps.get() - steps + 1) * Standing.SHORT_NANOS;
        long overNanos = now - beganNanos - mostNanos;
        if (overNanos > 0 && standing.overran(overNanos, now)) loop.carriage().lost(this, now - beganNanos);
    }

    private void runInPool() {
        isInPool = false;
        runAway();
    }

    /// Runs up to its next wait, off the loop. By then another thread may have changed its state.
    private void runAway() {
        if (!STATE.compareAndSet(this, AWAY_QUEUED, AWAY)) return;
        var its = standing;
        loop.carriage().goesOnElsewhere(!its.isKnownToKeepThreads());
        long beganNanos = System.nanoTime();
        continuation().run();
        if (its.ran(System.nanoTime() - beganNanos)) loop.carriage().earned(this, its.earnedInNanos());
    }

    /// The loop is stuck: if it waits for the loop, it resumes elsewhere. Any thread.
    void goElsewhere() {
        if (STATE.compareAndSet(this, QUEUED, AWAY_QUEUED)) queueAway();
    }

    /// Whether it waits for a thread of the JDK's scheduler, and is not known to be why that is stuck.
    boolean mayGoOnHere() {
        return (int) STATE.getAcquire(this) == AWAY_QUEUED && standing.mayTakeSpare();
    }

    /// Resumes in the calling thread, if it still waits.
    void goOnHere() {
        var its = standing;
        its.takesSpare();
        try {
            runAway();
        } finally {
            its.returnsSpare();
        }
    }

    /// The loop is gone.
    void goAway() {
        if (!leavesQueueFor(AWAY_QUEUED)) return;
        loop.carriage().waitsElsewhere();
        LoopThreads.runElsewhere(this::runAway);
    }

    private boolean leavesQueueFor(int next) {
        return STATE.compareAndSet(this, QUEUED, next) || STATE.compareAndSet(this, QUEUED_STAYING, next);
    }

    private Runnable continuation() {
        var mine = own;
        if (mine == null) throw new IllegalStateException("a thread was resumed after its end");
        return mine;
    }

    // Called by the loop, on its thread.

    /// Work begins that only the loop may do: until [#ends] the thread stays there, even if it has to wait.
    void begins() {
        staying++;
    }

    void ends() {
        staying--;
    }

    /// Keeps it waiting, so that the loop can use what it has on loan.
    ///
    /// @return false when it is elsewhere
    boolean hold() {
        return STATE.compareAndSet(this, HOME, HELD) || leavesQueueFor(HELD_READY);
    }

    void release() {
        if (STATE.compareAndSet(this, HELD, HOME)) return;
        STATE.setRelease(this, HOME);
        goOn();
    }

    /// Null when it has not begun, or has ended.
    @Nullable
    Thread thread() {
        return thread;
    }
}
