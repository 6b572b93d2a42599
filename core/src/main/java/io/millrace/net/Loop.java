package io.millrace.net;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/// The event loop that owns a connection, as user code sees it. A connection never changes its loop.
///
/// All methods may be called from any thread.
public interface Loop extends Executor {
    /// Runs a task on the loop, in the order of each thread's calls. It runs in this turn or the next, or one turn
    /// later for each millisecond that the tasks ahead of it take. It must not block. What it throws is logged.
    /// Limiting how many tasks wait is up to the caller.
    @Override
    void execute(Runnable task);

    /// Runs a task on the loop when a duration has passed, never earlier, usually within a millisecond.
    Timer after(Duration delay, Runnable task);

    /// Whether the caller is the loop's own thread, so that connections of this loop may be used directly.
    boolean inLoop();

    /// Runs blocking work (files, name lookups, drivers) on a virtual thread that no loop carries; the result is
    /// delivered on the loop.
    <T> CompletionStage<T> blocking(Callable<T> work);

    /// A scheduled task.
    interface Timer {
        /// Cancels the task, unless it is already running. Any thread; without effect once it has run.
        void cancel();
    }
}
