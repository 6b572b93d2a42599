package io.millrace.loop;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The JDK internals that loops need to carry virtual threads: all of them, or none. JDK 25 has no public way to
/// set a scheduler; the builder that takes one is package-private, and
/// `--add-opens java.base/java.lang=io.millrace.core` (or `=ALL-UNNAMED` on the class path) opens it to us. In
/// another JDK the names, or the behaviour of threads, may differ; then the JDK's scheduler runs everything.
///
/// @param builder     `(Executor) → Thread.Builder.OfVirtual`: of threads whose scheduler is the executor
/// @param carrier     `() → Thread`: the platform thread that runs the caller
/// @param locals      of a `Thread`: its thread locals, null while it has none
/// @param inheritable of a `Thread`: those that its children inherit
/// @param scheduler   `() → Executor`: the JDK's own, which runs the threads that are not ours
record CarrierAccess(
        MethodHandle builder, MethodHandle carrier, VarHandle locals, VarHandle inheritable, MethodHandle scheduler) {
    /// The names of these internals.
    record Names(
            String builder,
            String carrier,
            String localsType,
            String locals,
            String inheritable,
            String threads,
            String scheduler) {
        static final Names JDK_25 = new Names(
                "java.lang.ThreadBuilders$VirtualThreadBuilder",
                "currentCarrierThread",
                "java.lang.ThreadLocal$ThreadLocalMap",
                "threadLocals",
                "inheritableThreadLocals",
                "java.lang.VirtualThread",
                "defaultScheduler");
    }

    /// What was found.
    ///
    /// @param access    null when one of them is missing
    /// @param complaint why, in a sentence with the remedy if there is one
    record Found(@Nullable CarrierAccess access, String complaint) {}

    /// Looks for all of them, and never fails: loops start without them, too.
    static Found lookFor(Names names) {
        try {
            return new Found(find(names), "");
        } catch (IllegalAccessException _) {
            return new Found(
                    null, "this JVM does not open the scheduler of virtual threads: start it with " + enablingFlag());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return new Found(null, differs(e.toString()));
        }
    }

    /// The flag that opens `java.lang`, as it applies to how this code was started.
    static String enablingFlag() {
        var module = CarrierAccess.class.getModule();
        return "--add-opens java.base/java.lang=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    private static String differs(String how) {
        return "JDK " + Runtime.version() + " has other virtual threads than JDK 25, whose threads loops can carry: "
                + "" + how;
    }

    /// Loads none of the classes that virtual threads need.
    private static CarrierAccess find(Names names) throws ReflectiveOperationException {
        var lookup = MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
        var builder = lookup.findClass(names.builder);
        var locals = lookup.findClass(names.localsType);
        return new CarrierAccess(
                within(builder)
                        .findConstructor(builder, MethodType.methodType(void.class, Executor.class))
                        .asType(MethodType.methodType(Thread.Builder.OfVirtual.class, Executor.class)),
                lookup.findStatic(Thread.class, names.carrier, MethodType.methodType(Thread.class)),
                lookup.findVarHandle(Thread.class, names.locals, locals).withInvokeBehavior(),
                lookup.findVarHandle(Thread.class, names.inheritable, locals).withInvokeBehavior(),
                lookup.findStatic(
                        lookup.findClass(names.threads), names.scheduler, MethodType.methodType(Executor.class)));
    }

    private static MethodHandles.Lookup within(Class<?> type) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }

    Thread.Builder.OfVirtual builder(Executor scheduler) {
        try {
            return (Thread.Builder.OfVirtual) builder.invokeExact(scheduler);
        } catch (Throwable e) {
            throw new IllegalStateException("this JVM refuses to build virtual threads for an event loop", e);
        }
    }

    Thread currentCarrier() {
        try {
            return (Thread) carrier.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    Executor jdkScheduler() {
        try {
            return (Executor) scheduler.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Runs a thread to its first wait and then to its end, as a loop does. It does so on a thread of its own: the
    /// caller may hold a monitor, or be a virtual thread, and then must not run another one.
    ///
    /// @return why loops cannot carry threads; empty when they can
    Optional<String> complaint() {
        var complaint = new AtomicReference<Optional<String>>(Optional.empty());
        var trial = Thread.ofPlatform().daemon().name("millrace-trial").unstarted(() -> complaint.set(tried()));
        trial.setUncaughtExceptionHandler((_, e) -> complaint.set(Optional.of(differs(e.toString()))));
        trial.start();
        boolean wasInterrupted = false;
        while (trial.isAlive()) {
            try {
                trial.join();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) Thread.currentThread().interrupt();
        return complaint.get();
    }

    @SuppressWarnings("ThreadPriorityCheck") // a yield is a wait that ends by itself
    private Optional<String> tried() {
        var continuations = new ArrayList<Runnable>();
        var carriers = new ArrayList<Thread>();
        var thread = builder(continuations::add).unstarted(() -> {
            Thread.yield();
            carriers.add(currentCarrier());
        });
        thread.start();
        for (int i = 0; i < continuations.size() && i < 2; i++)
            continuations.get(i).run();
        if (!carriers.equals(List.of(Thread.currentThread()))) {
            return Optional.of(differs("one does not run where its scheduler runs it"));
        }
        // By its continuation the scheduler distinguishes it from threads that it starts.
        return continuations.getFirst().equals(continuations.getLast())
                ? Optional.empty()
                : Optional.of(differs("one has another continuation each time it resumes"));
    }
}
