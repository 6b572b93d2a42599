package io.millrace.http.memory;

import io.millrace.Tcp;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// A connection of a simulation that streams in memory belong to: it provides loop and address, but carries
/// none of their bytes.
public final class MemoryCarrier {
    private final Simulation network;
    private final TcpConnection connection;
    private final List<Throwable> thrown = new ArrayList<>();

    /// @param port a free one of this network
    public MemoryCarrier(Simulation network, int port) {
        this.network = network;
        var opened = new AtomicReference<TcpConnection>();
        var _ = Tcp.listen(network.on(port), conn -> {
            opened.set((TcpConnection) conn);
            return in -> in.skip(in.remaining());
        });
        network.connect(port);
        network.run();
        this.connection = opened.get();
    }

    public TcpConnection connection() {
        return connection;
    }

    public EventLoop loop() {
        return connection.loop();
    }

    /// Runs a task on the loop, and what follows from it.
    public void onLoop(Runnable task) {
        execute(task);
        network.run();
        assertNothingThrown();
    }

    /// Runs a task on the loop, later.
    void execute(Runnable task) {
        loop().execute(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                thrown.add(e);
            }
        });
    }

    /// Asserts something on the loop; the test gets the failure, even if the exception is caught there.
    void check(boolean isTrue, String what) {
        if (isTrue) return;
        var failure = new AssertionError(what);
        thrown.add(failure);
        throw failure;
    }

    /// Passes failed assertions of the loop to the test.
    public void assertNothingThrown() {
        for (var e : thrown) throw new AssertionError(e);
    }
}
