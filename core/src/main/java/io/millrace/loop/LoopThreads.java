package io.millrace.loop;

import io.millrace.loop.CarriedThread.CarriedWork;
import io.millrace.loop.CarriedThread.Life;
import io.millrace.memory.CarriedSlabs;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The virtual threads of one loop: carried by it if the JDK allows it and their code has earned it ([Standing]),
/// otherwise by the JDK's scheduler. User code is the same; the difference is the cost of a park and an unpark (0.2
/// µs here, a switch to another core and back there). [CarrierAccess] lists the requirements.
public final class LoopThreads {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");
    private static final CarrierAccess.Found FOUND = CarrierAccess.lookFor(CarrierAccess.Names.JDK_25);
    private static final @Nullable CarrierAccess ACCESS = FOUND.access();

    /// Made when the first thread is to be carried: a server of callbacks never starts one.
    private static final class Trial {
        static final Optional<String> COMPLAINT = complaint();

        private static Optional<String> complaint() {
            var complaint = ACCESS == null ? Optional.of(FOUND.complaint()) : ACCESS.complaint();
            complaint.ifPresent(why -> LOG.log(
                    Level.INFO,
                    "virtual threads run on the JDK''s scheduler, not on their connection''s loop: {0}",
                    why));
            return complaint;
        }
    }

    /// The name of a thread that calls handlers.
    private static final String HANDLER = "handler";

    /// The standing of a thread that makes calls, before its first call.
    private static final Standing TRUSTED = new Standing(0);

    private final EventLoop loop;
    private final boolean mayCarry;
    private final CarriedSlabs slabs;

    /// Sessions and dispatched calls that have not returned; counted by the loop and by the threads that end.
    private final AtomicInteger running = new AtomicInteger();

    /// Loans to a client's own threads, which may be anywhere and are not waited for; the loop's.
    private int borrowed;

    LoopThreads(EventLoop loop, boolean carries) {
        this.loop = loop;
        this.mayCarry = carries;
        this.slabs = new CarriedSlabs(loop.pool(), new AtHome(loop));
    }

    /// Whether this JVM lets a loop carry virtual threads.
    public static boolean canCarry() {
        return Trial.COMPLAINT.isEmpty();
    }

    /// Why this JVM does not let a loop carry virtual threads, in a sentence with the remedy if there is one.
    public static Optional<String> cannotCarryBecause() {
        return Trial.COMPLAINT;
    }

    /// The slabs for threads that the loop may carry.
    CarriedSlabs slabs() {
        return slabs;
    }

    private record AtHome(EventLoop loop) implements CarriedSlabs.SlabHome {
        @Override
        public boolean enters() {
            if (!loop.inLoop()) return false;
            loop.carriage().begins();
            return true;
        }

        @Override
        public void leaves() {
            Carriage.ends(loop.carriage().running());
        }
    }

    boolean carries() {
        return mayCarry && canCarry();
    }

    /// Starts the thread of a session with a peer.
    void startSession(String peer, Standing standing, Life life) {
        start(CarriedWork.SESSION, "session " + peer, standing, life);
    }

    /// Starts a thread for one call of a handler.
    void startHandler(Standing standing, Runnable call) {
        start(CarriedWork.CALLS, HANDLER, standing, call::run);
    }

    /// Starts a thread on the loop that calls handlers, one after the other while it is not [#isUsed]. Until the
    /// first call, it counts as the loop's own work.
    void startMaker(Life life) {
        running.incrementAndGet();
        var maker = new CarriedThread(loop, CarriedWork.CALLS, TRUSTED, life);
        maker.begins();
        start(maker, HANDLER);
    }

    /// Starts a counted thread. Called by the loop's own platform thread.
    private void start(CarriedWork work, String name, Standing standing, Life life) {
        running.incrementAndGet();
        start(new CarriedThread(loop, work, standing, life), name);
    }

    /// The watchdog knows the threads even if the loop carries none.
    private void start(CarriedThread thread, String name) {
        boolean carries = carries();
        if (carries || thread.work == CarriedWork.SESSION) loop.carriage().isBorn(thread);
        var builder = carries ? carriedBy(thread) : Thread.ofVirtual();
        loop.host().start(builder.name(name), carries, thread);
    }

    /// Makes a call for a stuck loop. Any thread.
    void callElsewhere(LentCall call) {
        running.incrementAndGet();
        var thread = new CarriedThread(loop, CarriedWork.CALLS, call.standing().elsewhere(), call::run);
        loop.carriage().living().addElsewhere(thread);
        loop.host().start(carriedBy(thread).name(HANDLER), true, thread);
    }

    /// A started thread is at its end.
    void ended() {
        running.decrementAndGet();
    }

    void loanBegan() {
        running.incrementAndGet();
    }

    void loanEnded() {
        running.decrementAndGet();
    }

    void borrowed(int change) {
        borrowed += change;
    }

    int borrowed() {
        return borrowed;
    }

    int running() {
        return running.get();
    }

    /// The platform thread that runs the caller: itself, or a virtual thread's carrier. Without access to carriers,
    /// a virtual thread has none.
    public static Thread currentCarrier() {
        return ACCESS == null ? Thread.currentThread() : ACCESS.currentCarrier();
    }

    /// Whether the next code on the calling thread, which a loop started for handlers and carries, would see
    /// changes that are not its own: an interrupt, thread locals, a name, or another class loader than the loop's.
    @SuppressWarnings("ReferenceEquality") // the loader itself
    public static boolean isUsed() {
        var thread = Thread.currentThread();
        return thread.isInterrupted()
                || ACCESS == null
                || (Object) ACCESS.locals().get(thread) != null
                || (Object) ACCESS.inheritable().get(thread) != null
                || !thread.getName().equals(HANDLER)
                || thread.getContextClassLoader() != currentCarrier().getContextClassLoader();
    }

    /// Builds virtual threads whose continuations `scheduler` runs, as it does those of threads that they start;
    /// only if [#canCarry].
    public static Thread.Builder.OfVirtual carriedBy(Executor scheduler) {
        if (ACCESS == null) throw new AssertionError("this JVM has no access to carriers");
        return ACCESS.builder(scheduler);
    }

    /// Leaves a continuation to the JDK's scheduler.
    static void runElsewhere(Runnable continuation) {
        Executor scheduler = ACCESS == null ? ForkJoinPool.commonPool() : ACCESS.jdkScheduler();
        scheduler.execute(continuation);
    }
}
