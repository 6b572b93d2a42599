package io.millrace.loop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/// Event loops and whoever drives them: threads ([ThreadedLoops]), or a simulation. Any thread may call.
public interface LoopGroup extends AutoCloseable {
    List<EventLoop> loops();

    /// Does something on a loop and waits for the result.
    <T> T call(EventLoop loop, Callable<T> work) throws IOException;

    /// Waits until something has become true, that a loop brings about.
    ///
    /// @return false when patience ran out first
    boolean await(Duration patience, java.util.function.BooleanSupplier isTrue);

    /// Workers for handlers that may block; they end when they are retired, or with the group.
    Executor workers(int threads);

    /// Workers whose server has ended: each thread ends when it has nothing to do. They take tasks still, because a
    /// handler that is at work now hears of its connection's end later.
    default void retire(Executor workers) {}

    /// The loop with the fewest connections.
    default EventLoop leastLoaded() {
        var least = loops().getFirst();
        for (var loop : loops()) {
            if (Listener.Placement.load(loop) < Listener.Placement.load(least)) least = loop;
        }
        return least;
    }

    @Override
    void close();
}
