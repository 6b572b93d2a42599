package io.millrace.http.memory;

import io.millrace.Tcp;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// A connection of a simulation that streams in memory belong to: it lends its loop and its address, and no byte of
/// theirs goes over it.
public final class MemoryCarrier {
    private final Simulation network;
    private final TcpConnection connection;
    private final List<Throwable> thrown = new ArrayList<>();

    /// @param port of this network, which nobody has
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
        return (EventLoop) connection.loop();
    }

    /// Runs something on the loop, and what follows from it.
    public void onLoop(Runnable task) {
        execute(task);
        network.run();
        assertNothingThrown();
    }

    /// Runs something on the loop, later.
    void execute(Runnable task) {
        loop().execute(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                thrown.add(e);
            }
        });
    }

    /// Asserts something on the loop, for the test to hear of, whoever catches what this throws.
    void check(boolean isTrue, String what) {
        if (isTrue) return;
        var failure = new AssertionError(what);
        thrown.add(failure);
        throw failure;
    }

    /// What is asserted on the loop reaches the test here.
    public void assertNothingThrown() {
        for (var e : thrown) throw new AssertionError(e);
    }
}
