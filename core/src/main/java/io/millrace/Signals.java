package io.millrace;

import java.util.concurrent.CountDownLatch;

/// Polite termination of a process that serves.
public final class Signals {
    private Signals() {}

    /// Waits for SIGTERM or SIGINT (Ctrl-C), then returns so that the caller can drain its servers. When the
    /// calling thread ends, usually by returning from `main`, the process exits with code 0; without this, the
    /// JVM would exit with 143 while the drain is under way.
    ///
    /// Called once, by a platform thread of the process that is to end.
    public static void awaitTermination() throws InterruptedException {
        var signalled = new CountDownLatch(1);
        var waiter = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> exitAfter(waiter, signalled), "millrace-signals"));
        signalled.await();
    }

    private static void exitAfter(Thread waiter, CountDownLatch signalled) {
        signalled.countDown();
        try {
            waiter.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.out.flush();
        // A shutdown hook cannot change the exit code in any other way.
        Runtime.getRuntime().halt(0);
    }
}
