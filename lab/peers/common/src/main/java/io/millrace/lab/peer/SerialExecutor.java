package io.millrace.lab.peer;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/// Runs the tasks of one connection in order, one at a time, on the threads of a pool: for frameworks that have no
/// such thing.
public final class SerialExecutor implements Executor {
    private final Executor pool;
    /// Guarded by itself; the first task is the one that runs.
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    public SerialExecutor(Executor pool) {
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (tasks.size() > 1) {
                return;
            }
        }
        pool.execute(this::runAll);
    }

    private void runAll() {
        Runnable task;
        synchronized (tasks) {
            task = tasks.getFirst();
        }
        while (task != null) {
            try {
                task.run();
            } finally {
                task = next();
            }
        }
    }

    private Runnable next() {
        synchronized (tasks) {
            tasks.removeFirst();
            return tasks.peekFirst();
        }
    }
}
