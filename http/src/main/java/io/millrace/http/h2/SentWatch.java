package io.millrace.http.h2;

import java.util.ArrayDeque;

/// Tasks that wait until some of a stream's queue has been passed to the connection.
final class SentWatch {
    private final ArrayDeque<Task> waiting = new ArrayDeque<>(1);

    /// @param atBytes of the stream's body that are passed on before it
    private record Task(long atBytes, Runnable task) {}

    void add(long atBytes, Runnable task) {
        waiting.add(new Task(atBytes, task));
    }

    /// Whether the next task no longer waits.
    boolean hasDue(long passedBytes) {
        return !waiting.isEmpty() && waiting.peek().atBytes <= passedBytes;
    }

    Runnable next() {
        return waiting.remove().task;
    }
}
