package io.millrace.loop;

import io.millrace.net.LoopBroken;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Event loops and what runs them: threads ([ThreadedLoops]), or a simulation. Any thread may call.
public interface LoopGroup extends AutoCloseable {
    List<EventLoop> loops();

    /// Runs work on a loop and waits for the result.
    <T> T call(EventLoop loop, Callable<T> work) throws IOException;

    /// Waits until a loop has made a condition true.
    ///
    /// @return false when patience ran out first
    boolean await(Duration patience, java.util.function.BooleanSupplier isTrue);

    /// Workers for handlers that may block; they end when they are retired, or with the group.
    Executor workers(int threads);

    /// Retires the workers of a server that has ended: each thread ends when it has nothing to do. They still take
    /// tasks, because a handler that runs now is told of its connection's end later.
    default void retire(Executor workers) {}

    /// Completes with the first loop that ends without being closed, when its connections are closed; on a thread
    /// of its own.
    default CompletableFuture<LoopBroken> broken() {
        return new CompletableFuture<>();
    }

    /// How often code on virtual threads must resume before loops carry it: see [Standing].
    default int earnAfter() {
        return Standing.STANDARD_NEEDED;
    }

    /// The loop with the fewest connections.
    default EventLoop leastLoaded() {
        return Listener.Placement.least(loops(), loops().getFirst());
    }

    @Override
    void close();
}
