package io.millrace.sim;

import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopHost;
import io.millrace.loop.LoopThreads;
import io.millrace.loop.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// The threads of a simulation, of which one at a time runs.
///
/// If the JDK lets loops carry virtual threads, sessions run as in production, on their loop or off it as luck
/// decides each time they resume, and the simulation carries workers. Otherwise each is a [Strand]. When the
/// test's own thread waits for a connection, the simulation is driven until the wait is over.
final class SimulatedThreads implements LoopHost {
    /// The JVM's thread that resumes virtual threads when the monitor they wait for is free.
    private static final String GIVES_MONITORS = "VirtualThread-unblocker";

    private static final long MONITOR_PATIENCE_NANOS = 5_000_000_000L;

    private final World world;
    private final boolean carries;
    private final List<Thread> living = new ArrayList<>();

    /// Looked up and never iterated; read by threads from outside.
    private final Map<Thread, Strand> strands = new ConcurrentHashMap<>();

    /// Workers that resume because a monitor is free now; from a thread of the JVM's to the driver.
    private final Queue<Runnable> pastMonitors = new ConcurrentLinkedQueue<>();

    private boolean userMayGoOn;

    SimulatedThreads(World world, boolean carries) {
        this.world = world;
        this.carries = carries && LoopThreads.canCarry();
    }

    boolean carries() {
        return carries;
    }

    @Override
    public long wallMillis() {
        return world.wallMillis();
    }

    @Override
    public RandomGenerator luck() {
        return world.luck.generator();
    }

    // Beginning.

    @Override
    public Thread start(Thread.Builder.OfVirtual builder, boolean isCarried, Runnable life) {
        if (!isCarried) return startStrand(builder, life);
        var thread = builder.unstarted(counted(life));
        living.add(thread);
        thread.start();
        return thread;
    }

    @Override
    public void blocking(String name, Runnable work) {
        if (carries) start(LoopThreads.carriedBy(this::resume).name(name), true, work);
        else startStrand(Thread.ofVirtual().name(name), work);
    }

    @Override
    public void waitForFiles(Executor threads, Runnable work) {
        blocking("simulated-files", work);
    }

    /// Luck decides instead of what their code has earned; for a thread of the JVM's there is no luck.
    @Override
    public boolean carries(Standing standing) {
        return !world.isOurs() || world.carries();
    }

    /// Threads that sessions start are no different from workers.
    @Override
    public void runElsewhere(Runnable continuation) {
        resume(continuation);
    }

    private void resume(Runnable continuation) {
        if (world.isOurs()) world.soon(continuation);
        else if (isMonitorFree()) pastMonitors.add(continuation);
        else world.wokenFromOutside("a worker");
    }

    private Thread startStrand(Thread.Builder.OfVirtual builder, Runnable life) {
        var strand = new Strand(world, builder, counted(life));
        strands.put(strand.thread(), strand);
        living.add(strand.thread());
        strand.start();
        return strand.thread();
    }

    private Runnable counted(Runnable life) {
        return () -> {
            try {
                life.run();
            } finally {
                living.remove(Thread.currentThread());
                strands.remove(Thread.currentThread());
            }
        };
    }

    /// A step of its own.
    @Override
    public boolean compute(Runnable work) {
        world.soon(work);
        return true;
    }

    // Waiting.

    @Override
    public void park(Object waitingFor) {
        var strand = strands.get(Thread.currentThread());
        if (strand != null) strand.park();
        else if (world.isUser(Thread.currentThread())) parkUser(waitingFor);
        else LockSupport.park(waitingFor);
    }

    private void parkUser(Object waitingFor) {
        driveUntil(() -> userMayGoOn, waitingFor);
        userMayGoOn = false;
    }

    private void driveUntil(BooleanSupplier isOver, Object waitingFor) {
        if (isOver.getAsBoolean() || world.runUntil(Long.MAX_VALUE, isOver)) return;
        throw new IllegalStateException("the test would wait for ever: nothing more will happen to " + waitingFor);
    }

    @Override
    public void unpark(Thread thread) {
        var strand = strands.get(thread);
        if (strand != null) strand.unpark();
        else if (world.isUser(thread)) userMayGoOn = true;
        else LockSupport.unpark(thread);
    }

    // Waiting for a monitor that a thread from outside holds, such as the lock of a class that is being loaded.

    /// Nothing else happens until every thread that waits for a monitor has it, so that the outcome does not
    /// depend on who held it, or for how long. By the driver.
    void awaitMonitors() {
        if (!carries) return;
        for (var thread : living) {
            if (thread.getState() == Thread.State.BLOCKED) awaitMonitor(thread);
        }
        for (var next = pastMonitors.poll(); next != null; next = pastMonitors.poll()) world.soon(next);
    }

    private void awaitMonitor(Thread thread) {
        long deadlineNanos = System.nanoTime() + MONITOR_PATIENCE_NANOS;
        while (thread.getState() == Thread.State.BLOCKED) {
            if (System.nanoTime() - deadlineNanos < 0) Thread.onSpinWait();
            else
                world.fail(withStack(
                        thread,
                        thread + " waits for a monitor whose owner waits, too: guard what is"
                                + " held across a wait with a ReentrantLock"));
            if (world.hasFailed()) return;
        }
    }

    /// Whether a thread has got a monitor and is about to run, though nothing else has anything to do. By the
    /// driver.
    boolean isSomebodyOnTheWay() {
        if (!carries) return false;
        for (var thread : living) {
            var state = thread.getState();
            if (state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED) return true;
        }
        return !pastMonitors.isEmpty();
    }

    private static boolean isMonitorFree() {
        return Thread.currentThread().getName().equals(GIVES_MONITORS);
    }

    // Failing.

    @Override
    public void addsTask(EventLoop loop) {
        if (!world.isOurs() && !isMonitorFree()) world.wokenFromOutside(loop.name());
    }

    /// An assertion that user code makes on a loop fails the run, not just a connection.
    @Override
    public void threw(Throwable thrown) {
        if (thrown instanceof Error) world.fail(thrown);
    }

    /// Whether it is a strand, which runs only in its turn.
    boolean isInLockstep(Thread thread) {
        return strands.containsKey(thread);
    }

    /// A sleeping thread would resume at a moment that no seed decides.
    void checkNobodySleeps() {
        for (var thread : living) {
            if (thread.getState() != Thread.State.TIMED_WAITING) continue;
            world.fail(withStack(
                    thread,
                    thread + " sleeps, or waits with a timeout, in real time: let virtual time pass instead, with"
                            + " loop().after(…)"));
        }
        world.throwFailure();
    }

    /// With every connection closed, no thread has a reason to run.
    void checkEverybodyEnded() {
        for (var thread : living) {
            world.fail(withStack(thread, thread + " still runs, though its connection is closed"));
        }
        world.throwFailure();
    }

    static IllegalStateException withStack(Thread thread, String message) {
        var stack = new Throwable("the stack of " + thread);
        stack.setStackTrace(thread.getStackTrace());
        return new IllegalStateException(message, stack);
    }
}
