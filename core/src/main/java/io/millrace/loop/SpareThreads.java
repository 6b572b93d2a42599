package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Platform threads for when the JDK's scheduler is stuck: code that computes, or is in native code, keeps its few
/// threads, and sessions and handlers which have not earned their loop yet would wait behind it for seconds. The
/// watchdog starts one when it finds that none of a loop has gone on for ten milliseconds; it goes on with those that
/// wait and are not known to keep threads, so that those which are stay as few as the JDK has threads for.
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

    /// Before anything is stuck, because the watchdog must not wait for a class to be loaded then.
    static void prepare() {
        assert THREADS != null;
    }

    /// By the watchdog.
    ///
    /// @param loop for whose threads
    static void start(EventLoop loop) {
        try {
            THREADS.execute(() -> goOn(loop));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            var why = e instanceof OutOfMemoryError
                    ? "the system has no thread to take its place"
                    : "so are " + MOST + " threads beside it";
            CoreGuards.SPARE_THREADS.acted(
                    loop.name(),
                    "the JDK's scheduler of virtual threads is stuck, and " + why + "; raise"
                            + " -Djdk.virtualThreadScheduler.parallelism, or move what computes or is in native code to"
                            + " Dispatch.pool(n)");
        }
    }

    private static void goOn(EventLoop loop) {
        // Not that of whoever started the loops.
        Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
        try {
            loop.carriage().living().goOnHere();
        } catch (Throwable e) {
            loop.errors().log(LOG, Level.ERROR, "thread", () -> loop.name() + ": a spare thread threw", e);
        }
    }
}
