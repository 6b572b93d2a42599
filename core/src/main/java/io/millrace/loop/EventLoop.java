package io.millrace.loop;

import io.millrace.memory.Loan;
import io.millrace.memory.SlabPool;
import io.millrace.net.Loop;
import io.millrace.net.LoopCounters;
import io.millrace.transport.Transport;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The thread that owns connections; [#turn] is the framework's table of contents.
///
/// All state belongs to the thread that runs the loop, and needs no lock: other threads use the task queue. A real
/// loop has a thread of its own ([ThreadedLoops]); the simulation runs simulated ones.
public final class EventLoop implements Loop, Loan.Home {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");
    private static final long LONG_TURN_NANOS = 1_000_000;

    /// How long tasks may keep a loop from its connections.
    private static final long TASKS_NANOS = 1_000_000;

    private static final long STARVED_WAIT_NANOS = 10_000_000;

    private final String name;

    /// Made on first use.
    private @Nullable HeapArrays heapArrays;

    /// Made on first use.
    private @Nullable CallRoom callRoom;

    private final LongSupplier nanoClock;
    private final LongSupplier wallClock;
    private final Transport transport;
    private final SlabPool pool;
    private final TimerWheel timers;
    private final TaskQueue tasks;
    private final LoopHost host;
    private final LoopThreads threads;
    private final Carriage carriage;
    private final LoopTotals totals = new LoopTotals();
    private final Sockets sockets = new Sockets(this);
    private final Shedding shedding;
    private final Backlog backlog = new Backlog(this);
    private final MemoryUpkeep upkeep;
    private final ErrorLog errors = new ErrorLog(this);
    private final LoopEnd end = new LoopEnd(this);

    /// Virtual threads of the JDK's scheduler that may resume; woken together at the end of the turn.
    private final ArrayList<Thread> wakeUps = new ArrayList<>();

    /// Connections with something to send, or to finish, when the turn ends; and the list for those added while
    /// these are flushed.
    private ArrayList<Outgoing> dirty = new ArrayList<>();

    private ArrayList<Outgoing> spare = new ArrayList<>();
    private long nowNanos;

    /// Written by the thread that runs the loop; read by any thread that asks whether it is the loop.
    private volatile @Nullable Thread thread;

    /// The loop that the same thread runs around this one, in a simulation.
    private @Nullable EventLoop outer;

    /// Written by the loop's thread when it stops; read by any thread that wants to add something.
    private volatile boolean isClosed;

    /// When the current turn began to work, or 0 while it waits; written by the loop, read by the watchdog.
    private volatile long busySinceNanos;

    /// Watches the loop, and sleeps while no loop turns.
    private volatile @Nullable Watchdog watchdog;

    /// The implementation, which all loops of our groups are.
    ///
    /// @throws IllegalArgumentException for another one
    public static EventLoop of(Loop loop) {
        if (loop instanceof EventLoop ours) return ours;
        throw new IllegalArgumentException(loop + " is not a Millrace loop: take one of EventLoops");
    }

    /// @param nanoClock the time, as of `System.nanoTime`, or virtual
    /// @param carries   whether this loop carries virtual threads, if the JDK allows it
    public EventLoop(String name, Transport transport, SlabPool pool, LongSupplier nanoClock, boolean carries) {
        this(name, transport, pool, nanoClock, carries, LoopHost.JDK);
    }

    /// @param host starts and parks threads that are not this loop's
    public EventLoop(
            String name, Transport transport, SlabPool pool, LongSupplier nanoClock, boolean carries, LoopHost host) {
        this.name = name;
        this.host = host;
        this.transport = transport;
        this.pool = pool;
        this.nanoClock = nanoClock;
        this.wallClock = host::wallMillis;
        this.nowNanos = nanoClock.getAsLong();
        this.timers = new TimerWheel(nowNanos, (timer, failure) -> failed("timer", failure));
        this.tasks = new TaskQueue((task, failure) -> failed("task", failure));
        this.threads = new LoopThreads(this, carries);
        this.carriage = new Carriage(this);
        this.shedding = new Shedding(this);
        this.upkeep = new MemoryUpkeep(this);
    }

    /// One pass: delivers what the kernel has, runs tasks, and sends what was written.
    ///
    /// @param mayWait whether to wait for something to do
    /// @return whether there was something to do
    public boolean turn(boolean mayWait) {
        return turn(mayWait ? Long.MAX_VALUE : 0);
    }

    boolean turn(long mostNanos) {
        boolean delivered = transport.poll(mostNanos == 0 ? 0 : Math.min(mostNanos, waitNanos()), sockets);
        boolean continued = carriage.runReady();
        boolean called = carriage.calls().run();
        int ran = runTasks() + timers.advance(nowNanos);
        flush();
        endOfTurn();
        return delivered || continued || called || ran > 0 || !dirty.isEmpty();
    }

    private long waitNanos() {
        if (hasMore() || !tasks.prepareToWait()) return 0;
        busySinceNanos = 0;
        long untilTimerNanos = nextTimerNanos();
        // Memory that another thread gives back does not wake the loop, and a stuck connection may have to be shed.
        boolean isShort = sockets.areStarved() || shedding.isShort();
        return isShort ? Math.min(untilTimerNanos, STARVED_WAIT_NANOS) : untilTimerNanos;
    }

    /// Whether the next turn already has something to do.
    private boolean hasMore() {
        return carriage.isWaiting() || !dirty.isEmpty();
    }

    private int runTasks() {
        int count = tasks.drain(nanoClock, TASKS_NANOS);
        if (count > 0) totals.tasks.add(count);
        return count;
    }

    /// Flushes only the connections that were written to so far: what is written meanwhile, because there is room
    /// again, leaves in the next turn. So a peer that reads as fast as output is written cannot keep the loop from
    /// other connections.
    void flush() {
        var sending = dirty;
        dirty = spare;
        spare = sending;
        for (int i = 0; i < sending.size(); i++) {
            var outgoing = sending.get(i);
            outgoing.isDirty = false;
            try {
                outgoing.endOfTurn();
            } catch (Throwable e) {
                sockets.broke(outgoing.connection, e);
            }
        }
        sending.clear();
    }

    /// A turn begins to work now.
    void awoke() {
        tasks.awake();
        nowNanos = nanoClock.getAsLong();
        busySinceNanos = nowNanos;
        hasWork();
    }

    /// Wakes the watchdog; any thread.
    void hasWork() {
        var dog = watchdog;
        if (dog != null) dog.hears();
    }

    /// Resumes carried threads before the next delivery, while their bytes are in the cache.
    void delivered() {
        carriage.runReady();
    }

    private void endOfTurn() {
        totals.turns.add(1);
        wakeThreads();
        shedding.relieve();
        upkeep.endOfTurn();
        sockets.feedStarved();
        // An interrupt is meant for the current call, and would end blocking calls of others.
        Thread.interrupted();
        long length = nanoClock.getAsLong() - nowNanos;
        totals.busy.betweenWaits.add(length);
        boolean wasLong = length > LONG_TURN_NANOS;
        carriage.turnIsOver(wasLong);
        if (wasLong && FlightEvents.areOn()) new FlightEvents.Turn(name, length).commit();
    }

    void wakeThreads() {
        for (int i = 0; i < wakeUps.size(); i++) host.unpark(wakeUps.get(i));
        wakeUps.clear();
    }

    // Loop: for user code and other threads.

    @Override
    public void execute(Runnable task) {
        if (isClosed || !returned(task)) throw new RejectedExecutionException("event loop " + name + " is closed");
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        var timer = new LoopTimer(this, task, () -> {});
        long deadlineNanos = deadlineNanos(delay);
        if (inLoop()) timers.schedule(timer.inWheel, deadlineNanos);
        else execute(() -> timers.schedule(timer.inWheel, deadlineNanos));
        return timer;
    }

    /// Runs a task on the loop when a duration has passed, or another one when the loop ends before; one of both
    /// runs, unless it is cancelled. Any thread, which runs the other one itself when there is no loop any more.
    public Timer after(Duration delay, Runnable task, Runnable never) {
        var timer = new LoopTimer(this, task, never);
        long deadlineNanos = deadlineNanos(delay);
        if (inLoop()) timers.schedule(timer.inWheel, deadlineNanos);
        else if (!returned(() -> timers.schedule(timer.inWheel, deadlineNanos))) never.run();
        return timer;
    }

    private long deadlineNanos(Duration delay) {
        // Unlike Duration.toNanos this ends at the largest long.
        long delayNanos = Math.min(TimeUnit.NANOSECONDS.convert(delay), TimerWheel.FOREVER_NANOS);
        return nanoClock.getAsLong() + delayNanos;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the thread itself
    public boolean inLoop() {
        return LoopThreads.currentCarrier() == thread;
    }

    /// Whether this is the loop's own thread, and not one that it carries: what connections send is its alone.
    @SuppressWarnings("ReferenceEquality") // the thread itself
    public boolean isCallers() {
        return Thread.currentThread() == thread;
    }

    /// The thread that runs the loop; null in a simulation that runs another one.
    @Override
    public @Nullable Thread thread() {
        return thread;
    }

    @Override
    public <T> CompletionStage<T> blocking(Callable<T> work) {
        var call = new BlockingCall<>(this, work, new CompletableFuture<>());
        // Started by the loop's platform thread: a virtual thread would pass on its scheduler, and its thread
        // locals.
        execute(() -> host.blocking(name + "-blocking", call));
        return call.result();
    }

    /// Runs work that holds slabs of this loop on a thread that may block. Closing the loop waits for it from now on,
    /// also while its thread has not got to run. Any thread.
    public void lendingSlabs(Runnable work) {
        threads.loanBegan();
        try {
            var _ = blocking(() -> {
                lent(work);
                return true;
            });
        } catch (RejectedExecutionException e) {
            threads.loanEnded();
            throw e;
        }
    }

    private void lent(Runnable work) {
        try {
            work.run();
        } finally {
            threads.loanEnded();
        }
    }

    /// Runs a task for a loan or a connection, also while the loop is closing.
    ///
    /// @return false when the loop is gone and the task will not run
    public boolean returned(Runnable task) {
        host.addsTask(this);
        try {
            if (tasks.add(task)) transport.wakeup();
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }

    /// Refuses to let a loop's thread block, because all of its connections would wait. A virtual thread may, even
    /// if a loop carries it: it leaves the loop while it waits.
    ///
    /// @param what    what would wait, as the subject of a sentence
    /// @param instead what to do instead
    /// @throws IllegalStateException on the thread of a loop
    public static void checkMayWait(String what, String instead) {
        if (Thread.currentThread().isVirtual()) return;
        var turned = Turning.by(Thread.currentThread());
        if (turned == null) return;
        throw new IllegalStateException(
                what + " would wait on the thread of the event loop " + turned + ", and stop all of its connections: "
                        + instead + ", or do it on a virtual thread or in loop.blocking(…)");
    }

    public boolean isClosed() {
        return isClosed;
    }

    /// Resumes a carried thread; never rejects. When the loop is gone, the JDK's scheduler takes over.
    ///
    /// @param isFromElsewhere whether it may have passed tasks to this loop before
    /// @param stays           whether it is doing this loop's own work, which ends before the loop does
    void resume(CarriedThread thread, boolean isFromElsewhere, boolean stays) {
        if (inLoop() && !isClosed && !isFromElsewhere) carriage.add(thread);
        else if ((isClosed && !stays) || !returned(thread::resume)) thread.goAway();
    }

    Carriage carriage() {
        return carriage;
    }

    /// Does the loop's own work, in its thread or in one that it carries: such a thread stays with the loop until
    /// it is done, even if it has to wait.
    public void doHere(Runnable work) {
        var here = carriage.begins();
        try {
            work.run();
        } finally {
            Carriage.ends(here);
        }
    }

    /// As [#doHere], with a result.
    <T, E extends Exception> T callHere(Work<T, E> work) throws E {
        var here = carriage.begins();
        try {
            return work.call();
        } finally {
            Carriage.ends(here);
        }
    }

    /// Work of the loop's own.
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T call() throws E;
    }

    void isLookedAfterBy(Watchdog dog) {
        watchdog = dog;
    }

    /// Resumes a virtual thread of the JDK's scheduler when the turn ends.
    void wakeAtEndOfTurn(Thread waiting) {
        if (inLoop()) wakeUps.add(waiting);
        else host.unpark(waiting);
    }

    /// The connection has something to send, or something to finish, when the turn ends.
    void markDirty(Outgoing outgoing) {
        if (outgoing.isDirty) return;
        outgoing.isDirty = true;
        dirty.add(outgoing);
    }

    // Starting and stopping.

    /// The calling thread runs the loop from now on.
    public void adoptThread() {
        if (Thread.currentThread().equals(thread)) return;
        thread = Thread.currentThread();
        outer = Turning.ofCaller().runs(this);
        if (transport.descriptors().isPresent()) totals.busy.begin();
    }

    /// No thread runs the loop for now: in a simulation, one thread runs one loop at a time.
    public void leaveThread() {
        thread = null;
        var around = outer;
        outer = null;
        Turning.ofCaller().runs(around);
    }

    /// For a simulation, between two turns: from now on, adding a task wakes the transport.
    ///
    /// @return false when the loop has something to do already
    public boolean rest() {
        return !hasMore() && tasks.prepareToWait();
    }

    /// Closes every connection and listener, waits for sessions to end, and gives the memory back; by the loop's
    /// thread.
    ///
    /// @param patienceNanos how long sessions may take to notice
    public void close(long patienceNanos) {
        if (!inLoop()) throw new IllegalStateException("only its own thread may close " + name);
        end.close(patienceNanos);
    }

    /// From now on it accepts no new tasks.
    void stopped() {
        isClosed = true;
    }

    /// Drops every connection and closes every listener; by the loop's thread.
    public void abortAll() {
        sockets.abortAll();
    }

    /// Calls a visitor for each [TcpConnection] and [Listener]; by the loop's thread.
    public void forEachOwner(Consumer<Object> visitor) {
        sockets.forEachOwner(visitor);
    }

    /// @param what one of a few constants
    void failed(String what, Throwable failure) {
        host.threw(failure);
        if (failure instanceof AssertionError error) end.because(error);
        errors.log(LOG, Level.ERROR, what, () -> name + ": a " + what + " threw", failure);
    }

    // Used by other classes of this package.

    public String name() {
        return name;
    }

    public Transport transport() {
        return transport;
    }

    public SlabPool pool() {
        return pool;
    }

    Shedding shedding() {
        return shedding;
    }

    Sockets sockets() {
        return sockets;
    }

    TaskQueue tasks() {
        return tasks;
    }

    TimerWheel timers() {
        return timers;
    }

    public LoopHost host() {
        return host;
    }

    LoopThreads threads() {
        return threads;
    }

    /// The messages that wait here for groups; any thread.
    public Backlog backlog() {
        return backlog;
    }

    /// Whether the caller is a loop's thread, of any loop; a virtual thread that one carries is not.
    public static boolean isCallerTurning() {
        return Turning.by(Thread.currentThread()) != null;
    }

    /// Whether the caller is a loop's thread, of any loop, or carried by one.
    public static boolean isCallerALoop() {
        return Turning.by(LoopThreads.currentCarrier()) != null;
    }

    /// The same, but not in a simulation, where no other connection waits meanwhile.
    static boolean isCallerARealLoop() {
        var turned = Turning.by(LoopThreads.currentCarrier());
        return turned != null && turned.host.equals(LoopHost.JDK);
    }

    /// Runs work that waits for a file system: on the given threads, or in a simulation on its own.
    public static void waitForFiles(Executor threads, Runnable work) {
        var turned = Turning.by(LoopThreads.currentCarrier());
        if (turned == null) threads.execute(work);
        else turned.host.waitForFiles(threads, work);
    }

    /// Arrays for the duration of one call; for the loop's own thread, not one that it carries, which could wait
    /// meanwhile.
    public HeapArrays heapArrays() {
        if (carriage.running() != null) throw new IllegalStateException("a carried thread may not have these arrays");
        var made = heapArrays;
        if (made == null) heapArrays = made = new HeapArrays();
        return made;
    }

    /// Room for the duration of one call that does not wait; for the loop's own thread.
    public CallRoom callRoom() {
        var made = callRoom;
        if (made == null) callRoom = made = new CallRoom(pool);
        return made;
    }

    /// Logs what goes wrong here; any thread.
    public ErrorLog errors() {
        return errors;
    }

    LoopTotals totals() {
        return totals;
    }

    /// The loop's clock.
    public LongSupplier clock() {
        return nanoClock;
    }

    /// The time of day, in milliseconds since the Unix epoch; any thread.
    public LongSupplier wallClock() {
        return wallClock;
    }

    /// Random numbers, for choices that need not be secret; any thread, and not to be kept for another.
    public RandomGenerator luck() {
        return host.luck();
    }

    /// The time of this turn.
    public long nowNanos() {
        return nowNanos;
    }

    /// Whether the current turn has been working for so long that what could go on should yield.
    boolean hasWorkedLong() {
        return nanoClock.getAsLong() - nowNanos > LONG_TURN_NANOS;
    }

    /// How long the current turn has been working; 0 while the loop waits. For the watchdog.
    long busyNanos() {
        long since = busySinceNanos;
        return since == 0 ? 0 : nanoClock.getAsLong() - since;
    }

    /// Whether it waits for something to do, and no thread of it waits for the JDK's scheduler; any thread.
    boolean isAtRest() {
        return isClosed || (busySinceNanos == 0 && carriage.leftElsewhere() <= carriage.wentOnElsewhere());
    }

    /// Nanoseconds until the next timer, [Long#MAX_VALUE] without one; for a simulation that advances the time.
    public long nextTimerNanos() {
        if (timers.size() == 0) return Long.MAX_VALUE;
        return Math.max(0, timers.nextDeadlineNanos() - nanoClock.getAsLong());
    }

    /// What this loop has done; any thread.
    public LoopCounters counters() {
        return totals.snapshot(name, tasks.size(), timers.size(), pool);
    }

    /// How many connections this loop owns; any thread, for placement.
    public long connections() {
        return totals.connections.get();
    }

    @Override
    public String toString() {
        return name;
    }
}
