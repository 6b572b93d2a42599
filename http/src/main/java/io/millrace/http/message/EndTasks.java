package io.millrace.http.message;

import java.util.ArrayList;
import java.util.List;

/// Whether something has ended, and the tasks to run then: each once, without holding a lock. Any thread.
public final class EndTasks {
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean isOver;

    /// Runs a task at the end, or now if it has ended. An exception is logged.
    public void add(Runnable task) {
        synchronized (this) {
            if (!isOver) {
                tasks.add(task);
                return;
            }
        }
        Callbacks.tell(task);
    }

    /// Ends it.
    ///
    /// @return whether it had not ended before
    public boolean end() {
        synchronized (this) {
            if (isOver) return false;
            isOver = true;
        }
        // No task is added any more.
        tasks.forEach(Callbacks::tell);
        return true;
    }

    public synchronized boolean isOver() {
        return isOver;
    }
}
