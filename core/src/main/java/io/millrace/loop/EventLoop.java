package io.millrace.loop;

import io.millrace.memory.Loan;
import io.millrace.memory.SlabPool;
import io.millrace.net.Loop;
import io.millrace.net.LoopCounters;
import io.millrace.transport.Transport;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The thread that owns connections; [#turn] is the table of contents of the framework.
///
/// All state belongs to the thread that turns the loop, and needs no lock: other threads come in through the task
/// queue. A real loop has a thread of its own ([ThreadedLoops]); a simulated one is turned by the simulation.
public final class EventLoop implements Loop, Loan.Home {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");
    private static final long LONG_TURN_NANOS = 1_000_000;

    /// How long tasks may keep a loop from its connections.
    private static final long TASKS_NANOS = 1_000_000;

    /// The threads that turn loops, of any group, and the loops that they turn.
    private static final Map<Thread, EventLoop> TURNED = new ConcurrentHashMap<>();

    private static final long STARVED_WAIT_NANOS = 10_000_000;

    private final String name;

    /// Made when somebody needs them.
    private @Nullable HeapArrays heapArrays;

    private final LongSupplier nanoClock;
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

    /// Virtual threads of the JDK's scheduler that may go on; woken together at the end of the turn.
    private final ArrayList<Thread> wakeUps = new ArrayList<>();

    /// Those that have something to send, or something to finish, when the turn ends; and the list they are noted
    /// in while these are flushed.
    private ArrayList<Outgoing> dirty = new ArrayList<>();

    private ArrayList<Outgoing> spare = new ArrayList<>();
    private long nowNanos;

    /// Written by whoever turns the loop; read by any thread that asks whether it is the loop.
    private volatile @Nullable Thread thread;

    /// The loop that the same thread turns around this one, in a simulation.
    private @Nullable EventLoop outer;

    /// Written by the loop's thread when it stops; read by any thread that wants to add something.
    private volatile boolean isClosed;

    /// When the turn under way began to work, or 0 while it waits; written by the loop, read by the watchdog.
    private volatile long busySinceNanos;

    /// Whoever looks after it, and sleeps while nothing turns.
    private volatile @Nullable Watchdog watchdog;

    /// One of ours, which all are that our groups have.
    ///
    /// @throws IllegalArgumentException for another one
    public static EventLoop of(Loop loop) {
        if (loop instanceof EventLoop ours) return ours;
        throw new IllegalArgumentException(loop + " is a loop of somebody else's: take one of EventLoops");
    }

    /// @param nanoClock the time, as of `System.nanoTime`, or virtual
    /// @param carries   whether virtual threads are carried by this loop, where the JDK lets us
    public EventLoop(String name, Transport transport, SlabPool pool, LongSupplier nanoClock, boolean carries) {
        this(name, transport, pool, nanoClock, carries, LoopHost.JDK);
    }

    /// @param host what begins and stops threads that are not this loop's
    public EventLoop(
            String name, Transport transport, SlabPool pool, LongSupplier nanoClock, boolean carries, LoopHost host) {
        this.name = name;
        this.host = host;
        this.transport = transport;
        this.pool = pool;
        this.nanoClock = nanoClock;
        this.nowNanos = nanoClock.getAsLong();
        this.timers = new TimerWheel(nowNanos, (timer, failure) -> failed("timer", failure));
        this.tasks = new TaskQueue((task, failure) -> failed("task", failure));
        this.threads = new LoopThreads(this, carries);
        this.carriage = new Carriage(this);
        this.shedding = new Shedding(this);
        this.upkeep = new MemoryUpkeep(this);
    }

    /// One pass: deliver what the kernel has, run what was asked for, send what was written.
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
        // Memory that another thread gives back wakes nobody, and what is stuck may become a reason to shed.
        boolean isShort = sockets.areStarved() || shedding.isShort();
        return isShort ? Math.min(untilTimerNanos, STARVED_WAIT_NANOS) : untilTimerNanos;
    }

    /// Whether there is something to do for the next turn already.
    private boolean hasMore() {
        return carriage.isWaiting() || !dirty.isEmpty();
    }

    private int runTasks() {
        int count = tasks.drain(nanoClock, TASKS_NANOS);
        if (count > 0) totals.tasks.add(count);
        return count;
    }

    /// Only those that were written to so far: what is written meanwhile, because there is room again, leaves in
    /// the next turn, so that a peer which reads as fast as it is written to cannot keep the loop from the
    /// others.
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

    /// A turn begins to work, at this time.
    void awoke() {
        tasks.awake();
        nowNanos = nanoClock.getAsLong();
        busySinceNanos = nowNanos;
        hasWork();
    }

    /// The watchdog has something to look at; any thread.
    void hasWork() {
        var dog = watchdog;
        if (dog != null) dog.hears();
    }

    /// A carried thread goes on before the next delivery, while its bytes are warm.
    void delivered() {
        carriage.runReady();
    }

    private void endOfTurn() {
        totals.turns.add(1);
        wakeThreads();
        shedding.relieve();
        upkeep.endOfTurn();
        sockets.feedStarved();
        // An interrupt is meant for the call that it was sent to, and would end blocking calls of others.
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

    // Loop: what user code and other threads may ask for.

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

    /// Whoever turns the loop; null in a simulation that turns another one.
    @Override
    public @Nullable Thread thread() {
        return thread;
    }

    @Override
    public <T> CompletionStage<T> blocking(Callable<T> work) {
        var call = new BlockingCall<>(this, work, new CompletableFuture<>());
        // Started by the loop's platform thread: a virtual thread would hand its own scheduler on, and its locals.
        execute(() -> host.blocking(name + "-blocking", call));
        return call.result();
    }

    /// Runs what holds slabs of this loop on another thread, for whoever closes the loop to know. Any thread.
    public void lendingSlabs(Runnable work) {
        threads.loanBegan();
        try {
            work.run();
        } finally {
            threads.loanEnded();
        }
    }

    /// What a loan or a connection still needs of the loop, also while it is closing.
    ///
    /// @return false when the loop is gone and the task will not run
    boolean returned(Runnable task) {
        host.addsTask(this);
        try {
            if (tasks.add(task)) transport.wakeup();
            return true;
        } catch (RejectedExecutionException _) {
            return false;
        }
    }

    /// For those who block: not the thread of a loop, its own or another one, whose connections would all wait with
    /// it. A virtual thread may, also one that a loop carries: it leaves the loop while it waits.
    ///
    /// @param what    would wait, at the beginning of a sentence
    /// @param instead what to do
    /// @throws IllegalStateException on the thread of a loop
    public static void checkMayWait(String what, String instead) {
        if (Thread.currentThread().isVirtual()) return;
        var turned = TURNED.get(Thread.currentThread());
        if (turned == null) return;
        throw new IllegalStateException(
                what + " would wait on the thread of the event loop " + turned + ", and stop all of its connections: "
                        + instead + ", or do it on a virtual thread or in loop.blocking(…)");
    }

    public boolean isClosed() {
        return isClosed;
    }

    /// A carried thread may go on; never rejects. When the loop is gone the JDK's scheduler takes its place.
    ///
    /// @param isFromElsewhere whether it may have handed this loop something before
    /// @param stays           whether it is in the middle of this loop's own work, which ends before the loop does
    void resume(CarriedThread thread, boolean isFromElsewhere, boolean stays) {
        if (inLoop() && !isClosed && !isFromElsewhere) carriage.add(thread);
        else if ((isClosed && !stays) || !returned(thread)) thread.goAway();
    }

    Carriage carriage() {
        return carriage;
    }

    /// Does the loop's own work, in its thread or in one that it carries: that stays with the loop until it is done,
    /// even if it has to wait in the middle.
    public void doHere(Runnable work) {
        var here = carriage.begins();
        try {
            work.run();
        } finally {
            Carriage.ends(here);
        }
    }

    /// The same, with a result.
    <T, E extends Exception> T callHere(Work<T, E> work) throws E {
        var here = carriage.begins();
        try {
            return work.call();
        } finally {
            Carriage.ends(here);
        }
    }

    /// Some of the loop's own.
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T call() throws E;
    }

    void isLookedAfterBy(Watchdog dog) {
        watchdog = dog;
    }

    /// Lets a virtual thread of the JDK's scheduler go on when the turn ends.
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

    /// The caller's thread turns the loop from now on.
    public void adoptThread() {
        if (Thread.currentThread().equals(thread)) return;
        thread = Thread.currentThread();
        outer = TURNED.put(Thread.currentThread(), this);
        if (transport.descriptors().isPresent()) totals.busy.begin();
    }

    /// Nobody turns the loop for now: a simulation lets one loop at a time be its thread's.
    public void leaveThread() {
        thread = null;
        var around = outer;
        outer = null;
        if (around == null) TURNED.remove(Thread.currentThread());
        else TURNED.put(Thread.currentThread(), around);
    }

    /// For a simulation, between two turns: from now on whoever adds a task wakes the transport.
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
        if (!inLoop()) throw new IllegalStateException(name + " is closed by its own thread alone");
        end.close(patienceNanos);
    }

    /// From now on it takes nothing new.
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

    // What the neighbours in this package use.

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

    /// What waits here for groups; any thread.
    public Backlog backlog() {
        return backlog;
    }

    /// Whether the caller is the thread of a loop, of any loop; a virtual thread that one carries is not.
    public static boolean isCallerTurning() {
        return TURNED.containsKey(Thread.currentThread());
    }

    /// Whether the caller is the thread of a loop, of any loop, or carried by one.
    public static boolean isCallerALoop() {
        return TURNED.containsKey(LoopThreads.currentCarrier());
    }

    /// The same, but not in a simulation, where no other connection waits meanwhile.
    static boolean isCallerARealLoop() {
        var turned = TURNED.get(LoopThreads.currentCarrier());
        return turned != null && turned.host.equals(LoopHost.JDK);
    }

    /// Runs work that waits for a file system: on these threads, but in a simulation, which knows its own alone.
    public static void waitForFiles(Executor threads, Runnable work) {
        var turned = TURNED.get(LoopThreads.currentCarrier());
        if (turned == null) threads.execute(work);
        else turned.host.waitForFiles(threads, work);
    }

    /// For the moment of one call; by the loop's own thread, not by one that it carries: that could wait meanwhile.
    public HeapArrays heapArrays() {
        if (carriage.running() != null) throw new IllegalStateException("a carried thread may not have these arrays");
        var made = heapArrays;
        if (made == null) heapArrays = made = new HeapArrays();
        return made;
    }

    /// Where what goes wrong here is logged; any thread.
    public ErrorLog errors() {
        return errors;
    }

    LoopTotals totals() {
        return totals;
    }

    /// What tells the time here.
    public LongSupplier clock() {
        return nanoClock;
    }

    /// The time of this turn.
    public long nowNanos() {
        return nowNanos;
    }

    /// Whether the turn under way has been working for so long that who could go on should let others.
    boolean hasWorkedLong() {
        return nanoClock.getAsLong() - nowNanos > LONG_TURN_NANOS;
    }

    /// How long the turn under way has been working; 0 while the loop waits. For the watchdog.
    long busyNanos() {
        long since = busySinceNanos;
        return since == 0 ? 0 : nanoClock.getAsLong() - since;
    }

    /// Whether it waits for something to do, and nobody waits for the JDK's scheduler; any thread.
    boolean isAtRest() {
        return isClosed || (busySinceNanos == 0 && carriage.leftElsewhere() <= carriage.wentOnElsewhere());
    }

    /// Nanoseconds until the next timer, [Long#MAX_VALUE] without one; for a simulation that moves the time.
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
