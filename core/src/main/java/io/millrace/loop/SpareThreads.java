package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Platform threads for when the JDK's scheduler is stuck: code that computes, or is in native code, keeps its few
/// threads, and sessions and handlers that have not earned their loop yet would wait for seconds. The watchdog
/// starts a spare thread when none of a loop's threads has resumed for ten milliseconds. It runs waiting threads
/// that are not known to keep threads; the others are left to the JDK's few threads.
final class SpareThreads {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");

    private static final int MOST = 64;

    private static final Executor THREADS = new ThreadPoolExecutor(
            0,
            MOST,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform()
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .name("millrace-spare-", 0)
                    .factory());

    private SpareThreads() {}

    /// Called before anything is stuck, because the watchdog must not wait for a class to be loaded then.
    static void prepare() {
        assert THREADS != null;
    }

    /// By the watchdog.
    ///
    /// @param loop the loop whose threads it runs
    static void start(EventLoop loop) {
        try {
            THREADS.execute(() -> goOn(loop));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            var why = e instanceof OutOfMemoryError
                    ? "the system has no thread to take its place"
                    : MOST + " spare threads are, too";
            CoreGuards.SPARE_THREADS.acted(
                    loop.name(),
                    "the JDK's scheduler of virtual threads is stuck, and " + why + "; raise"
                            + " -Djdk.virtualThreadScheduler.parallelism, or move code that computes or is native to"
                            + " Dispatch.pool(n)");
        }
    }

    private static void goOn(EventLoop loop) {
        // Not the class loader of the thread that started the loops.
        Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
        try {
            loop.carriage().living().goOnHere();
        } catch (Throwable e) {
            loop.errors().log(LOG, Level.ERROR, "thread", () -> loop.name() + ": a spare thread threw", e);
        }
    }
}
