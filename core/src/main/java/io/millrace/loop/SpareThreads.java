package io.millrace.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Platform threads for when the JDK's scheduler is stuck: code that computes, or is in native code, keeps its few
/// threads, and sessions and handlers which have not earned their loop yet would wait behind it for seconds. The
/// watchdog
/// starts one each time it finds that none of them has gone on for ten milliseconds; each goes on with whatever waits
/// and is not known to keep threads itself, so that these stay as few as the JDK has threads for.
final class SpareThreads {
    private static final int MOST = 64;

    private static final Executor THREADS = new ThreadPoolExecutor(
            0,
            MOST,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("millrace-spare-", 0).factory());

    private SpareThreads() {}

    /// @param loop for whose threads
    static void start(EventLoop loop) {
        try {
            THREADS.execute(() -> loop.carriage().living().goOnHere());
        } catch (RejectedExecutionException _) {
            Guard.SPARE_THREADS.acted(
                    loop.name(),
                    "the JDK's scheduler of virtual threads is stuck, and so are " + MOST + " threads beside it; raise"
                            + " -Djdk.virtualThreadScheduler.parallelism, or move what computes or is in native code to"
                            + " Dispatch.pool(n)");
        }
    }
}
