package io.millrace.sim;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/// A pool of workers that may block. When a worker begins its next task, and how long it takes, is luck.
final class Workers implements Executor {
    private final SimulatedThreads threads;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int idle;

    Workers(SimulatedThreads threads, int count) {
        this.threads = threads;
        this.idle = count;
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        if (idle > 0) begin();
    }

    private void begin() {
        idle--;
        var task = waiting.remove();
        threads.blocking("simulated-worker", () -> work(task));
    }

    private void work(Runnable task) {
        try {
            task.run();
        } finally {
            idle++;
            if (!waiting.isEmpty()) begin();
        }
    }
}
