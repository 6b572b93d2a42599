package io.millrace.http.client;

import io.millrace.Tcp;
import io.millrace.http.h1.ClientConnection;
import io.millrace.http.h1.ClientExchange;
import io.millrace.http.message.Origin;
import io.millrace.loop.Guard;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// The connections of one loop to one origin, and the requests that wait for one. The loop's.
///
/// ```
///                    ┌─ idle connection, the one used last ──────────────┐
///   submit ──────────┼─ fewer than the limit: connect ───────────────────┼──► send
///                    └─ wait, in order, until one is idle or has closed ─┘
/// ```
/// The one used last, so that those nobody needs come of age.
final class Pool implements ClientConnection.Owner {
    private final LoopPools pools;
    private final Origin origin;
    private final ClientSettings settings;
    private final int mostConnections;
    private final int mostWaiting;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final ArrayDeque<ClientConnection> idle = new ArrayDeque<>();
    private final ArrayDeque<ClientExchange> waiting = new ArrayDeque<>();

    /// Attempts to connect that are under way.
    private int coming;

    Pool(LoopPools pools, Origin origin, ClientSettings settings, int mostConnections, int mostWaiting) {
        this.pools = pools;
        this.origin = origin;
        this.settings = settings;
        this.mostConnections = mostConnections;
        this.mostWaiting = mostWaiting;
    }

    void submit(ClientExchange call) {
        var ready = nextIdle();
        if (ready != null) ready.send(call);
        else if (hasRoom()) connect(call);
        else if (waiting.size() < mostWaiting) waiting.add(call);
        else refuse(call);
        removeIfUnused();
    }

    /// What may hold bytes that nobody has heard of is not used again.
    private @Nullable ClientConnection nextIdle() {
        var ready = idle.pollLast();
        while (ready != null && !ready.isHearing()) {
            // Somebody is about to need this pool.
            coming++;
            ready.drop(new Reset("it was idle, and not receiving"));
            coming--;
            ready = idle.pollLast();
        }
        return ready;
    }

    private boolean hasRoom() {
        return connections.size() + coming < mostConnections;
    }

    private void refuse(ClientExchange call) {
        var detail = waiting.size() + " requests wait for one of " + mostConnections + " connections to " + origin
                + " (http.client.waiting): raise HttpClient.Setup.connections or waiting, or ask less";
        Guard.HTTP_CLIENT_WAITING.acted(origin.address(), detail);
        call.failed(new Overloaded(detail));
    }

    void forget(ClientExchange call) {
        waiting.remove(call);
        removeIfUnused();
    }

    // Connecting.

    /// The handler of a connection that opens.
    private final class Opening implements HandlerFactory {
        private @Nullable ClientConnection made;

        @Override
        public Handler open(Connection connection) {
            if (!pools.loop().inLoop()) {
                throw new IllegalStateException(
                        "two loops shared a Connect: have HttpClient.Setup.connect make a new" + " one each time");
            }
            var opened = new ClientConnection(connection, settings.limits(), settings.firstByteNanos(), Pool.this);
            made = opened;
            coming--;
            connections.add(opened);
            return opened;
        }
    }

    private void connect(ClientExchange call) {
        var opening = new Opening();
        coming++;
        try {
            var to = settings.connect()
                    .apply(origin.address())
                    .loop(pools.loop())
                    .timeout(settings.connectTimeout());
            var _ = Tcp.connect(to, opening)
                    .whenComplete((_, failure) -> pools.onLoop(() -> opened(opening, failure, call)));
        } catch (RejectedExecutionException _) {
            coming--;
            call.failed(new Reset("the event loop was closed before the connection was tried"));
        } catch (RuntimeException e) {
            coming--;
            call.failed(e);
        }
    }

    private void opened(Opening opening, @Nullable Throwable failure, ClientExchange call) {
        var connection = opening.made;
        if (connection == null) coming--;
        if (connection == null || failure != null || !connection.isIdle()) {
            call.failed(failure == null ? new Reset(origin + " sent before it was asked, or broke off") : failure);
            serveWaiting();
        } else if (pools.isClosed()) {
            connection.drop(LoopPools.closed());
            call.failed(LoopPools.closed());
        } else if (call.isOver()) {
            connection.rest();
        } else {
            connection.send(call);
        }
    }

    // What connections say.

    @Override
    public byte[] scratch() {
        return pools.scratch();
    }

    @Override
    public void idle(ClientConnection connection) {
        var next = waiting.poll();
        if (next != null) connection.send(next);
        else idle.add(connection);
    }

    @Override
    public void withdraw(ClientConnection connection) {
        idle.remove(connection);
    }

    @Override
    public void closed(ClientConnection connection, @Nullable ClientExchange unanswered) {
        connections.remove(connection);
        idle.remove(connection);
        // On a new connection, which cannot have been closed because it was idle: so it happens once.
        if (unanswered != null && pools.isClosed()) unanswered.failed(LoopPools.closed());
        else if (unanswered != null) connect(unanswered);
        serveWaiting();
    }

    /// There may be room for another connection.
    private void serveWaiting() {
        while (!waiting.isEmpty() && hasRoom()) connect(waiting.remove());
        removeIfUnused();
    }

    private void removeIfUnused() {
        if (coming == 0 && connections.isEmpty() && waiting.isEmpty()) pools.removeUnused(origin, this);
    }

    /// The client is.
    void close() {
        while (!waiting.isEmpty()) waiting.remove().failed(LoopPools.closed());
        for (var connection : List.copyOf(connections)) connection.drop(LoopPools.closed());
    }
}
