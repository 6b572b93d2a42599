package io.millrace.loop;

import java.util.ArrayDeque;

/// Tasks that wait until what was written before them has been handed to the kernel; the loop's.
///
/// Counted in sends and not in bytes: a stage makes other bytes of those that were written.
final class SentWatches {
    private record Watch(int send, Runnable task) {}

    private final ArrayDeque<Watch> watches = new ArrayDeque<>();

    /// @param send the number of the send that ends the wait
    void add(int send, Runnable task) {
        watches.add(new Watch(send, task));
    }

    int size() {
        return watches.size();
    }

    /// Whether the next task's send is among those that are done.
    boolean isDue(int sendsDone) {
        var first = watches.peek();
        return first != null && first.send() - sendsDone <= 0;
    }

    /// Takes out the next task.
    Runnable next() {
        return watches.remove().task();
    }
}
