package io.millrace.loop;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Threads of the process for what computes for a while and belongs to a connection: TLS handshakes. They are fewer
/// than
/// the cores, so that loops have one left, and what waits for them has a limit (`tls.handshakes`).
final class Computing {
    static final int MOST_WAITING = 1024;

    private static final ThreadPoolExecutor POOL = pool();

    private Computing() {}

    private static ThreadPoolExecutor pool() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        var factory =
                Thread.ofPlatform().name("millrace-computing-", 0).daemon().factory();
        var queue = new ArrayBlockingQueue<Runnable>(MOST_WAITING);
        var pool = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, queue, factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /// Hands it to the threads.
    ///
    /// @return false when too many wait
    static boolean take(Runnable work) {
        try {
            POOL.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            CoreGuards.TLS_HANDSHAKES.acted("this process", MOST_WAITING + " TLS handshakes wait");
            return false;
        }
    }
}
