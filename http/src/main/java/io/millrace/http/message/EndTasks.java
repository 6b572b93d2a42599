package io.millrace.http.message;

import java.util.ArrayList;
import java.util.List;

/// Whether something has ended, and who is told of it: each once, outside of all locks of this. Any thread.
public final class EndTasks {
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean isOver;

    /// Runs a task at the end, or now behind it. What it throws is logged.
    public void add(Runnable task) {
        synchronized (this) {
            if (!isOver) {
                tasks.add(task);
                return;
            }
        }
        Callbacks.tell(task);
    }

    /// This is the end.
    ///
    /// @return whether it is the first
    public boolean end() {
        synchronized (this) {
            if (isOver) return false;
            isOver = true;
        }
        // Nobody adds to them any more.
        tasks.forEach(Callbacks::tell);
        return true;
    }

    public synchronized boolean isOver() {
        return isOver;
    }
}
