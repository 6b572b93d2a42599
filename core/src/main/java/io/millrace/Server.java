package io.millrace;

import io.millrace.HandOverTalk.ServerSockets;
import io.millrace.loop.Awaiting;
import io.millrace.loop.Departures;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Listener;
import io.millrace.loop.LoopGroup;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Preparations;
import io.millrace.loop.Reception;
import io.millrace.loop.TcpConnection;
import io.millrace.net.LoopBroken;
import io.millrace.transport.DescriptorSocket;
import io.millrace.transport.Transport.ListenOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/// A server that listens. Any thread may call its methods.
public final class Server implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.listener");

    /// A second in which responses begin to say that they are the last, and one to connect again.
    private static final Duration LAST_REQUESTS = Duration.ofSeconds(2);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final SocketAddress asked;
    private final Optional<HandOver> handOver;
    private final LoopGroup group;
    private final boolean ownsGroup;
    private final Reception reception;

    /// Its own pool for handlers, shared with nothing else.
    private final Optional<Executor> workers;

    /// A service manager has its sockets, too: it is never the last to close them.
    private final boolean isManaged;

    private final List<Listener> listeners = new ArrayList<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile int cut;

    private Server(Listen on, LoopGroup group, Reception reception, Optional<Executor> workers, boolean isManaged) {
        this.isManaged = isManaged;
        this.asked = on.address();
        this.handOver = on.handOver();
        this.group = group;
        this.ownsGroup = on.loops().isEmpty();
        this.reception = reception;
        this.workers = workers;
    }

    /// @param greeting makes the consumer of new connections from the loops and the workers of `Dispatch.pool`
    static Server start(Listen on, BiFunction<LoopGroup, Optional<Executor>, Consumer<TcpConnection>> greeting) {
        on.use();
        var loops = on.loops().orElseGet(EventLoops::perCore);
        var group = loops.group();
        var found = inherited(on, group);
        var inherited = found.descriptors();
        // Fewer sockets than loops: each listener spreads its connections over all loops.
        boolean spreads = !on.options().reusePort()
                || (!inherited.isEmpty() && inherited.size() < group.loops().size());
        var placement = new Listener.Placement(group.loops(), spreads);
        var workers = workers(on.dispatchOrLoop(), group);
        var greeter = greeting.apply(group, workers);
        var reception = new Reception(on.settings(), placement, on.maxConnections(), group.earnAfter(), greeter);
        var server = new Server(on, group, reception, workers, found.isManaged());
        try {
            Preparations.await();
            if (inherited.isEmpty()) server.listen(on, spreads);
            else server.inherit(inherited, on.options());
            if (server.handOver.isPresent()) server.handOver.get().add(server);
            else server.accept();
            return server;
        } catch (IOException e) {
            server.close();
            throw new UncheckedIOException(e.getMessage(), e);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static Optional<Executor> workers(Dispatch dispatch, LoopGroup group) {
        return dispatch instanceof Dispatch.OnPool pool ? Optional.of(group.workers(pool.threads())) : Optional.empty();
    }

    /// The sockets that the old process listened on, or else those of the service manager.
    private static ServerSockets inherited(Listen on, LoopGroup group) {
        if (on.handOver().isEmpty() && on.inherited().isEmpty()) return ServerSockets.NONE;
        var transport = group.loops().getFirst().transport();
        try {
            if (transport.descriptors().isPresent()) return inherited(on);
            var what = on.handOver().isPresent()
                    ? "hand its listening sockets over to the next process: take epoll or uring, or leave out the "
                            + "hand-over"
                    : "listen on the sockets of the service manager (LISTEN_FDS): take epoll or uring, or start without "
                            + "them";
            throw new IOException("the transport " + transport.name() + " cannot " + what);
        } catch (IOException e) {
            if (on.loops().isEmpty()) group.close();
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private static ServerSockets inherited(Listen on) throws IOException {
        var handedOver = on.handOver().isEmpty()
                ? ServerSockets.NONE
                : on.handOver().get().take(on.address());
        if (!handedOver.descriptors().isEmpty()) return handedOver;
        var managed = on.inherited().take(on.address());
        return new ServerSockets(0, "", managed, !managed.isEmpty());
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

    private void inherit(List<Integer> descriptors, ListenOptions options) throws IOException {
        var left = new ArrayDeque<>(descriptors);
        var loops = group.loops();
        int next = loops.indexOf(group.leastLoaded());
        try {
            while (!left.isEmpty()) {
                var loop = loops.get(next++ % loops.size());
                int descriptor = left.remove();
                listeners.add(group.call(loop, () -> Listener.open(loop, descriptor, options, reception)));
            }
        } finally {
            DescriptorSocket.closeAll(List.copyOf(left));
        }
    }

    // For HandOver.

    /// Begins to accept.
    void accept() {
        for (var listener : listeners) run(listener.loop(), listener::accept);
    }

    /// The address it was told to listen on.
    SocketAddress asked() {
        return asked;
    }

    boolean isManaged() {
        return isManaged;
    }

    /// Duplicates of its listening sockets, for another process; the caller closes them.
    List<Integer> share() throws IOException {
        var descriptors = new ArrayList<Integer>();
        try {
            for (var listener : listeners) descriptors.add(group.call(listener.loop(), listener::share));
            return descriptors;
        } catch (IOException | RuntimeException e) {
            DescriptorSocket.closeAll(descriptors);
            throw e;
        }
    }

    /// No other process has the sockets any longer, but for a service manager.
    void unshare() {
        if (isManaged) return;
        for (var listener : listeners) run(listener.loop(), listener::unshare);
    }

    /// Leaves the listening sockets to another process and serves only the open connections; waits until accepting
    /// has stopped.
    void leave() {
        reception.leave();
        var left = new AtomicInteger();
        for (var listener : listeners) run(listener.loop(), () -> listener.leave(left::incrementAndGet));
        if (!group.await(CLOSE_PATIENCE, () -> left.get() == listeners.size())) {
            LOG.log(
                    Level.WARNING,
                    "{0}: accepting did not stop in time; connections that arrive at this moment may " + "be lost",
                    address());
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

    /// How many connections were still open at the end of [#drain], and were aborted.
    public int cut() {
        return cut;
    }

    /// Stops politely: accepts nothing more, tells every handler ([io.millrace.net.Handler#onDrain]) and session
    /// (its next `read` that would wait returns false), and waits until they are done. Connections still open then
    /// are aborted. After a [HandOver], handlers are told only after half of the time, so that peers can send one
    /// more request: its response says that it is the last, where the protocol can, so that no request meets a
    /// closing connection. The same holds, for at most two seconds, if the sockets are those of a service manager,
    /// where new connections wait for the next process. WebSockets are told from the beginning, one after the
    /// other, so that their peers do not all come back at once.
    ///
    /// @return whether everything ended in time
    /// @throws IllegalStateException on the thread of an event loop
    public boolean drain(Duration patience) {
        EventLoop.checkMayWait("a drain", "close()");
        var untold = untold(patience);
        // Who comes from now on waits in the manager's socket for the next process.
        if (isManaged && !reception.isLeft()) leave();
        stopListening();
        var departures = new Departures(listeners.getFirst().loop().clock().getAsLong() + patience.toNanos());
        reception.departs(departures);
        onEachConnection(connection -> connection.depart(departures));
        if (reception.isLeft()) group.await(untold, () -> reception.connections() == 0);
        onEachConnection(TcpConnection::drain);
        boolean isEmpty = group.await(patience.minus(untold), () -> reception.connections() == 0);
        if (!isEmpty) {
            cut = reception.connections();
            abortAll();
        }
        workers.ifPresent(group::retire);
        closed.complete(null);
        return isEmpty;
    }

    /// How long handlers are not told yet.
    private Duration untold(Duration patience) {
        // Not dividedBy, which reckons with BigDecimal: a tenth of a second in a JVM that has just started.
        var half = Duration.ofNanos(patience.toNanos() / 2);
        if (reception.isLeft()) return half;
        if (!isManaged) return Duration.ZERO;
        return half.compareTo(LAST_REQUESTS) < 0 ? half : LAST_REQUESTS;
    }

    /// Waits until the server is drained or closed.
    ///
    /// @throws LoopBroken            when one of its loops has ended without being closed, and that loop's
    ///     connections with it; the other loops go on until the server is closed
    /// @throws IllegalStateException on the thread of an event loop
    public void await() throws InterruptedException {
        EventLoop.checkMayWait("await()", "return");
        try {
            var ends = CompletableFuture.anyOf(group.broken(), closed);
            var first = Awaiting.result(group.loops(), "the end of its server", ends);
            if (first instanceof LoopBroken told) throw new LoopBroken(told);
        } catch (ExecutionException e) {
            throw new IllegalStateException("neither future fails", e);
        }
    }

    /// Stops at once: connections are aborted. Loops of its own stop, too. On an event loop's thread it does not
    /// wait for other loops.
    @Override
    public void close() {
        stopListening();
        abortAll();
        workers.ifPresent(group::retire);
        if (ownsGroup) group.close();
        closed.complete(null);
    }

    private void stopListening() {
        handOver.ifPresent(with -> with.remove(this));
        for (var listener : listeners) {
            run(listener.loop(), listener::close);
        }
    }

    private void abortAll() {
        if (reception.connections() == 0) return;
        onEachConnection(TcpConnection::abort);
        if (!EventLoop.isCallerTurning()) group.await(CLOSE_PATIENCE, () -> reception.connections() == 0);
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
            if (EventLoop.isCallerTurning() && !loop.inLoop()) {
                // That loop may be waiting for this one.
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
            // The loop has just closed, and its connections with it.
        }
    }
}
