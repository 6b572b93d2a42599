package io.millrace.loop;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Tasks that wait until earlier output was passed to the kernel; the loop's.
///
/// Counted in portions of output, not in bytes, because a stage changes the bytes.
final class SentWatches {
    /// The heap that a waiting one takes, with a small task: it counts as unsent.
    static final int WATCH_BYTES = 64;

    private record Watch(int portion, Runnable task) {}

    /// A watch that also learns how it ended.
    static final class Written extends CompletableFuture<@Nullable Void> implements Runnable {
        @Override
        public void run() {
            complete(null);
        }
    }

    private final ArrayDeque<Watch> watches = new ArrayDeque<>();

    /// @param portion the number of the portion that ends the wait
    void add(int portion, Runnable task) {
        watches.add(new Watch(portion, task));
    }

    int size() {
        return watches.size();
    }

    /// Whether the next task's portion is among those that were sent.
    boolean isDue(int portionsSent) {
        var first = watches.peek();
        return first != null && first.portion() - portionsSent <= 0;
    }

    /// Takes out the next task.
    Runnable next() {
        return watches.remove().task();
    }

    /// Nothing more is sent: fails those that wait.
    void fail(IOException cause) {
        while (!watches.isEmpty()) {
            if (next() instanceof Written written) written.completeExceptionally(cause);
        }
    }
}
