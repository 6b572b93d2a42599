package io.millrace.sim.network;

import io.millrace.transport.Transport;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A bound socket in a [MemoryNetwork], with the connections that were not accepted yet.
public final class MemoryListener {
    private final MemoryNetwork network;
    private final SocketAddress address;
    private final int backlog;
    private final boolean isShared;
    private final ArrayDeque<MemorySocket> waiting = new ArrayDeque<>();
    private int expected;
    private boolean isClosed;
    private Runnable watcher = () -> {};

    MemoryListener(MemoryNetwork network, SocketAddress address, Transport.ListenOptions options) {
        this.network = network;
        this.address = address;
        this.backlog = options.backlog();
        this.isShared = options.reusePort();
    }

    /// Sets what is called when a connection waits. Called inside the network, so it must only take note.
    public void watch(Runnable changed) {
        watcher = changed;
    }

    public SocketAddress address() {
        return address;
    }

    /// The connection that has waited longest, or null.
    public @Nullable MemorySocket accept() {
        return waiting.poll();
    }

    public boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /// Stops listening; waiting connections are reset.
    public void close() {
        isClosed = true;
        network.forget(this);
        while (!waiting.isEmpty()) waiting.remove().abort();
    }

    boolean isShared() {
        return isShared;
    }

    boolean isFull() {
        return waiting.size() + expected > backlog;
    }

    void expect() {
        expected++;
    }

    void arrived(MemorySocket connection) {
        expected--;
        if (isClosed) {
            connection.abort();
            return;
        }
        waiting.add(connection);
        watcher.run();
    }
}
