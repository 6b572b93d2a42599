package io.millrace.http.h2;

import io.millrace.loop.TcpConnection;
import java.util.ArrayList;
import java.util.List;

/// Tasks that wait until what a stream has written so far was sent, or never will be.
final class QueueWatches {
    private final TcpConnection connection;

    /// Added in the current call: behind what that call has written.
    private final List<Runnable> added = new ArrayList<>(1);

    private final List<Watch> waiting = new ArrayList<>(1);

    /// A task for when so many bytes were taken from the queue.
    private record Watch(long atBytes, Runnable task) {}

    QueueWatches(TcpConnection connection) {
        this.connection = connection;
    }

    /// For the thread that has the stream.
    void add(Runnable task) {
        added.add(task);
    }

    /// Runs the tasks whose bytes have gone. On the loop.
    ///
    /// @param taken bytes, from the queue, so far
    /// @param queued bytes that are in it
    void passed(long taken, long queued) {
        for (var task : added) waiting.add(new Watch(taken + queued, task));
        added.clear();
        while (!waiting.isEmpty() && waiting.getFirst().atBytes() <= taken)
            connection.whenSent(waiting.removeFirst().task());
    }

    /// Nothing more is sent. On the loop.
    void cut() {
        passed(Long.MAX_VALUE, 0);
    }
}
