package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The virtual threads of one loop: carried by it where the JDK lets us, otherwise by the JDK's scheduler. User
/// code is the same, the difference is what a park and an unpark cost (0.2 µs here, a hand-off to another core
/// and back there).
///
/// JDK 25 has no public way to name a scheduler; the builder that takes one is package-private, and opened to us
/// by `--add-opens java.base/java.lang=io.millrace.core` (or `=ALL-UNNAMED` on the class path).
public final class LoopThreads {
    private static final System.Logger LOG = System.getLogger("io.millrace.loop");
    private static final @Nullable Constructor<?> CARRIED_BUILDER = findBuilder();
    private static final @Nullable MethodHandle CURRENT_CARRIER = findCurrentCarrier();
    private static final @Nullable VarHandle LOCALS = findLocals("threadLocals");
    private static final @Nullable VarHandle INHERITED = findLocals("inheritableThreadLocals");

    /// The name of a thread that calls handlers.
    private static final String HANDLER = "handler";

    private final EventLoop loop;
    private final boolean carries;
    private final Thread.Builder.OfVirtual builder;

    /// Sessions and dispatched calls that have not returned; counted by the loop and by the threads that end.
    private final AtomicInteger running = new AtomicInteger();

    /// Loans to threads of a client's own, which may be anywhere and are not waited for; the loop's.
    private int borrowed;

    LoopThreads(EventLoop loop, boolean carries) {
        this.loop = loop;
        this.carries = carries && canCarry();
        this.builder = this.carries ? carriedBy(loop::resume) : Thread.ofVirtual();
    }

    /// Whether this JVM lets a loop carry virtual threads.
    public static boolean canCarry() {
        return CARRIED_BUILDER != null;
    }

    /// The flag that enables it, as it applies to how this code was started.
    public static String enablingFlag() {
        var module = LoopThreads.class.getModule();
        return "--add-opens java.base/java.lang=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    boolean carries() {
        return carries;
    }

    /// Starts a thread whose life is counted. Called by the loop's own platform thread.
    Thread start(String name, Runnable life) {
        running.incrementAndGet();
        return loop.host().start(builder.name(name), carries, () -> {
            try {
                life.run();
            } finally {
                running.decrementAndGet();
            }
        });
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

    /// The platform thread that runs the caller: itself, or the carrier of a virtual thread. Without carriers, a
    /// virtual thread counts as nobody's.
    public static Thread currentCarrier() {
        if (CURRENT_CARRIER == null) return Thread.currentThread();
        try {
            return (Thread) CURRENT_CARRIER.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Starts a thread for calls of handlers, one after the other while it is not [#isUsed].
    Thread startHandler(Runnable life) {
        return start(HANDLER, life);
    }

    /// Whether code that runs next on the calling thread, which a loop carries and started for handlers, would
    /// find what is none of its own: an interrupt, thread locals, a name, or another class loader than the loop's.
    @SuppressWarnings("ReferenceEquality") // the loader itself
    public static boolean isUsed() {
        var thread = Thread.currentThread();
        return thread.isInterrupted()
                || LOCALS == null
                || INHERITED == null
                || (Object) LOCALS.get(thread) != null
                || (Object) INHERITED.get(thread) != null
                || !thread.getName().equals(HANDLER)
                || thread.getContextClassLoader() != currentCarrier().getContextClassLoader();
    }

    private static @Nullable VarHandle findLocals(String field) {
        if (CARRIED_BUILDER == null) return null;
        try {
            var map = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findVarHandle(Thread.class, field, map)
                    .withInvokeBehavior();
        } catch (ReflectiveOperationException e) {
            LOG.log(Level.DEBUG, "this JVM hides its thread locals: every call of a handler has a new thread", e);
            return null;
        }
    }

    private static @Nullable Constructor<?> findBuilder() {
        try {
            var constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(
                    Level.INFO,
                    "virtual threads run on the JDK scheduler, not on their connection''s loop: add {0} to change that",
                    enablingFlag());
            return null;
        }
    }

    private static @Nullable MethodHandle findCurrentCarrier() {
        if (CARRIED_BUILDER == null) return null;
        try {
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findStatic(Thread.class, "currentCarrierThread", MethodType.methodType(Thread.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has a builder for carried threads, but hides their carrier", e);
        }
    }

    /// Builds virtual threads whose continuations run where `scheduler` puts them; only where [#canCarry].
    public static Thread.Builder.OfVirtual carriedBy(Executor scheduler) {
        var constructor = CARRIED_BUILDER;
        if (constructor == null) throw new AssertionError("asked for carriers without having them");
        try {
            return (Thread.Builder.OfVirtual) constructor.newInstance(scheduler);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM refuses to build virtual threads for an event loop", e);
        }
    }
}
