package io.millrace.loop;

import java.util.ArrayDeque;

/// Tasks that wait until what was written before them has been handed to the kernel; the loop's.
///
/// Counted in portions of output and not in bytes: a stage makes other bytes of those that were written.
final class SentWatches {
    private record Watch(int portion, Runnable task) {}

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
}
