package io.millrace.sim;

import io.millrace.loop.Turning;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Runs a simulation on a platform thread that holds no monitor, while its user waits: a thread that runs
/// virtual threads must hold none (`docs/decisions/004-no-monitors-under-carried-threads.md`), and a test may
/// call from within `synchronized`.
final class Driver {
    private static final long LOOK_MILLIS = 100;

    /// How often in a row a blocked thread is checked: five seconds.
    private static final int PATIENCE = 50;

    /// Threads of all simulations; one that was not used for a second ends.
    private static final ExecutorService THREADS = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("simulation-", 0).factory());

    /// While it drives.
    private volatile @Nullable Thread thread;

    @Nullable
    Thread thread() {
        return thread;
    }

    /// Runs work on the driving thread, and throws what it throws.
    <T> T run(Supplier<T> work) {
        var loader = Thread.currentThread().getContextClassLoader();
        var task = new FutureTask<>(() -> drive(work, loader));
        THREADS.execute(task);
        return result(task);
    }

    private <T> T drive(Supplier<T> work, ClassLoader loader) {
        var self = Thread.currentThread();
        self.setContextClassLoader(loader);
        thread = self;
        try {
            return Turning.many(work);
        } finally {
            thread = null;
            // An interrupt that was meant for a handler alone.
            Thread.interrupted();
        }
    }

    private <T> T result(FutureTask<T> task) {
        boolean wasInterrupted = false;
        int blocked = 0;
        try {
            while (true) {
                try {
                    return task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException _) {
                    wasInterrupted = true;
                } catch (TimeoutException _) {
                    blocked = isBlocked() ? blocked + 1 : 0;
                    if (blocked == PATIENCE) throw blocked();
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException thrown -> throw thrown;
                case Error thrown -> throw thrown;
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } finally {
            if (wasInterrupted) Thread.currentThread().interrupt();
        }
    }

    private boolean isBlocked() {
        var driving = thread;
        return driving != null && driving.getState() == Thread.State.BLOCKED;
    }

    private IllegalStateException blocked() {
        var driving = thread;
        var message = "a handler waits for a monitor that the thread waiting for the simulation seems to hold: "
                + "release it before run(), advance(…) or a blocking call";
        return driving == null ? new IllegalStateException(message) : SimulatedThreads.withStack(driving, message);
    }
}
