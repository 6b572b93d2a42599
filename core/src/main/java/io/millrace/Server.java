package io.millrace;

import io.millrace.loop.EventLoop;
import io.millrace.loop.Listener;
import io.millrace.loop.LoopGroup;
import io.millrace.loop.Reception;
import io.millrace.loop.TcpConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/// A server that listens. Any thread may call its methods.
public final class Server implements AutoCloseable {
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final LoopGroup group;
    private final boolean ownsGroup;
    private final Reception reception;
    private final List<Listener> listeners = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private Server(LoopGroup group, boolean ownsGroup, Reception reception) {
        this.group = group;
        this.ownsGroup = ownsGroup;
        this.reception = reception;
    }

    static Server start(Listen on, Function<LoopGroup, Consumer<TcpConnection>> greeting) {
        var loops = on.loops().orElseGet(EventLoops::perCore);
        var group = loops.group();
        boolean spreads = !on.options().reusePort();
        var placement = new Listener.Placement(group.loops(), spreads);
        var reception = new Reception(on.settings(), placement, on.maxConnections(), greeting.apply(group));
        var server = new Server(group, on.loops().isEmpty(), reception);
        try {
            server.listen(on, spreads);
            return server;
        } catch (IOException e) {
            server.close();
            throw new UncheckedIOException(e.getMessage(), e);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void listen(Listen on, boolean spreads) throws IOException {
        var at = on.address();
        for (var loop : spreads ? List.of(group.leastLoaded()) : group.loops()) {
            var bound = at;
            var listener = group.call(loop, () -> Listener.open(loop, bound, on.options(), reception));
            listeners.add(listener);
            // The first one may have chosen the port for all.
            at = listener.address();
        }
    }

    /// The address it listens on, with the port that the system chose if it was 0.
    public SocketAddress address() {
        return listeners.getFirst().address();
    }

    /// The port it listens on, or -1 for a Unix socket.
    public int port() {
        return address() instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    /// Open connections.
    public int connections() {
        return reception.connections();
    }

    /// Stops politely: accepts nothing more, tells every handler ([io.millrace.net.Handler#onDrain]) and session
    /// (its next `read` that would wait returns false), and waits until they are done. What is left then is
    /// aborted.
    ///
    /// @return whether everything ended in time
    /// @throws IllegalStateException on one of the server's loops, which would wait for itself
    public boolean drain(Duration patience) {
        if (isOnLoop()) {
            throw new IllegalStateException("a drain waits for connections of the loop that it was called on: call it"
                    + " from another thread, for instance with conn.loop().blocking(…)");
        }
        stopListening();
        onEachConnection(TcpConnection::drain);
        boolean isEmpty = group.await(patience, () -> reception.connections() == 0);
        if (!isEmpty) abortAll();
        closed.countDown();
        return isEmpty;
    }

    /// Waits until the server is drained or closed.
    public void await() throws InterruptedException {
        closed.await();
    }

    /// Stops at once: connections are aborted. Loops of its own stop, too. On one of the server's loops it does not
    /// wait for the others.
    @Override
    public void close() {
        stopListening();
        abortAll();
        if (ownsGroup) group.close();
        closed.countDown();
    }

    private void stopListening() {
        for (var listener : listeners) {
            run(listener.loop(), listener::close);
        }
    }

    private void abortAll() {
        if (reception.connections() == 0) return;
        onEachConnection(TcpConnection::abort);
        if (!isOnLoop()) group.await(CLOSE_PATIENCE, () -> reception.connections() == 0);
    }

    private void onEachConnection(Consumer<TcpConnection> action) {
        for (var loop : group.loops()) {
            run(
                    loop,
                    () -> loop.forEachOwner(owner -> {
                        if (owner instanceof TcpConnection connection && connection.cameFrom(reception))
                            action.accept(connection);
                    }));
        }
    }

    private void run(EventLoop loop, Runnable work) {
        if (loop.isClosed()) return;
        try {
            if (isOnLoop() && !loop.inLoop()) {
                // It may be waiting for this one.
                loop.execute(work);
                return;
            }
            group.call(loop, () -> {
                work.run();
                return true;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RejectedExecutionException _) {
            // The loop has just been closed, and its connections with it.
        }
    }

    /// Whether the caller is the thread of a loop, which nothing but its return lets go on; a session that a loop
    /// carries may wait.
    private boolean isOnLoop() {
        if (Thread.currentThread().isVirtual()) return false;
        for (var loop : group.loops()) if (loop.inLoop()) return true;
        return false;
    }
}
