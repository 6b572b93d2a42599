package io.millrace.net;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/// The event loop that owns a connection, as user code sees it. A connection never changes its loop.
///
/// All methods may be called from any thread.
public interface Loop extends Executor {
    /// Runs a task on the loop, in the order of the calls of one thread; at the latest in the turn after this
    /// one, or later by as many turns as there are milliseconds of tasks in front of it. It must not block. What it
    /// throws is logged. How many tasks wait is the caller's to bound.
    @Override
    void execute(Runnable task);

    /// Runs a task on the loop when a duration has passed, never earlier, usually within a millisecond.
    Timer after(Duration delay, Runnable task);

    /// Whether the caller is the loop's own thread, so that connections of this loop may be used directly.
    boolean inLoop();

    /// Runs blocking work (files, name lookups, drivers) on a virtual thread that no loop carries; the result
    /// arrives on the loop.
    <T> CompletionStage<T> blocking(Callable<T> work);

    /// A task that waits for its time.
    interface Timer {
        /// The task will not run, unless it is running already. Any thread; no effect when it is over.
        void cancel();
    }
}
