package io.millrace;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Polite termination of a process that serves.
///
/// ```java
/// try (var server = Tcp.listen(7007, echo)) {
///     Signals.awaitTermination();
///     server.drain(Duration.ofSeconds(30));
/// }
/// ```
public final class Signals {
    private Signals() {}

    /// Waits for SIGTERM or SIGINT (Ctrl-C), then returns so that the caller can drain its servers. When the
    /// calling thread ends, usually by returning from `main`, the process exits with code 0; without this, the
    /// JVM would exit with 143 while the drain is under way.
    ///
    /// Called once, by a platform thread of the process that is to end.
    public static void awaitTermination() throws InterruptedException {
        var waiter = Thread.currentThread();
        new Termination(new CountDownLatch(1), waiter::join).await();
    }

    /// From now on SIGTERM and SIGINT end the process only when the result is closed: for a program that says
    /// that it is ready, and may be told to end in the same moment.
    ///
    /// Called once at a time, by any thread.
    public static Termination catchTermination() {
        var closed = new CountDownLatch(1);
        return new Termination(closed, closed::await);
    }

    /// The signals that end the process, while they are caught. Any thread may call its methods.
    public static final class Termination implements AutoCloseable {
        private final CountDownLatch signalled = new CountDownLatch(1);
        private final CountDownLatch closed;
        private final Thread hook;

        private Termination(CountDownLatch closed, End until) {
            this.closed = closed;
            this.hook = new Thread(() -> exitAfter(until), "millrace-signals");
            Runtime.getRuntime().addShutdownHook(hook);
        }

        /// Waits for a signal.
        public void await() throws InterruptedException {
            signalled.await();
        }

        /// Waits for a signal, at most so long.
        ///
        /// @return whether there was one
        public boolean await(Duration patience) throws InterruptedException {
            return signalled.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        }

        /// After a signal, the process exits with code 0 now, and the caller should have nothing left to do.
        /// Without one, signals end the process at once again.
        @Override
        public void close() {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException _) {
                // It runs already.
            }
            closed.countDown();
        }

        private void exitAfter(End until) {
            signalled.countDown();
            try {
                until.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            System.out.flush();
            // A shutdown hook cannot change the exit code in any other way.
            Runtime.getRuntime().halt(0);
        }
    }

    /// What the end of the process waits for.
    private interface End {
        void await() throws InterruptedException;
    }
}
