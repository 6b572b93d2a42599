package io.millrace.loop;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The process's threads for a connection's longer computations: TLS handshakes. There is one fewer than cores,
/// which leaves a core to the loops; the queue has a limit (`tls.handshakes`).
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

    /// Passes work to the threads.
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
