package io.millrace.loop;

import io.millrace.net.Guard;
import io.millrace.transport.Failure;
import io.millrace.transport.ListenerDescriptors;
import io.millrace.transport.Transport.Accepted;
import io.millrace.transport.Transport.ListenOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A bound socket that accepts connections and places each on a loop. Belongs to one loop; several listeners of a
/// server share one [Reception].
///
/// When the process runs out of descriptors, or the server reaches its limit, it stops accepting and tries again
/// later: the kernel keeps the connections in its backlog, and nothing spins. Without descriptors, connections that
/// only wait for a request are closed to make room ([Expendable]).
public final class Listener {
    private static final System.Logger LOG = LoopLog.of("io.millrace.listener");
    private static final long RETRY_NANOS = 100_000_000;
    private static final long LOG_PATIENCE_NANOS = 1_000_000_000;

    private final EventLoop loop;
    private final int socket;
    private final SocketAddress address;
    private final Reception reception;
    private final ListenOptions options;

    /// Accepted just after another listener of the server took the last place.
    private @Nullable Accepted waiting;

    private boolean isClosed;

    /// Whether it has begun to accept.
    private boolean isAccepting;

    /// What to do once it has been left; null while it is not being left.
    private @Nullable Runnable whenLeft;

    private Listener(EventLoop loop, int socket, Reception reception, ListenOptions options) {
        this.loop = loop;
        this.socket = socket;
        this.address = loop.transport().addresses(socket).local();
        this.reception = reception;
        this.options = options;
    }

    /// Binds and listens; by the loop's thread.
    ///
    /// @throws IOException with a sentence that names the address and the remedy
    public static Listener open(EventLoop loop, SocketAddress at, ListenOptions options, Reception reception)
            throws IOException {
        return opened(loop, loop.transport().listen(at, options), options, reception);
    }

    /// Listens on a descriptor of another process, which the listener owns from now on; by the loop's thread.
    public static Listener open(EventLoop loop, int descriptor, ListenOptions options, Reception reception)
            throws IOException {
        return opened(loop, descriptors(loop).listen(descriptor, options), options, reception);
    }

    private static ListenerDescriptors descriptors(EventLoop loop) {
        var transport = loop.transport();
        return transport
                .descriptors()
                .orElseThrow(() -> new UnsupportedOperationException(
                        "the transport " + transport.name() + " cannot pass listening sockets to another process"));
    }

    private static Listener opened(EventLoop loop, int socket, ListenOptions options, Reception reception) {
        var listener = new Listener(loop, socket, reception, options);
        loop.sockets().own(socket, listener);
        reception.add(listener);
        LogDescriptors.keep();
        return listener;
    }

    /// Begins to accept; by the loop's thread.
    public void accept() {
        isAccepting = true;
        acceptAgain();
    }

    public SocketAddress address() {
        return address;
    }

    public EventLoop loop() {
        return loop;
    }

    void accepted(Accepted accepted) {
        loop.totals().accepted.add(1);
        if (whenLeft != null) {
            reception.admitLast();
            place(accepted);
            return;
        }
        if (!reception.admit()) {
            waiting = accepted;
            loop.transport().receive(socket, false);
            return;
        }
        if (!reception.hasRoom()) {
            CoreGuards.CONNECTIONS.acted(
                    address.toString(), "accepting waits at " + reception.limit() + " connections");
            loop.transport().receive(socket, false);
        }
        if (!loop.pool().mayAccept()) retryAfter(Shedding.PAUSE_NANOS, "no slab memory to spare", CoreGuards.SLABS);
        place(accepted);
    }

    private void place(Accepted accepted) {
        var home = reception.placement(loop);
        // A loop that is gone takes nothing; this one is closing, too, and will tell the connection.
        if (home == loop || !handTo(home, accepted)) adopt(loop, accepted);
    }

    private boolean handTo(EventLoop home, Accepted accepted) {
        var coming = home.totals().coming;
        coming.incrementAndGet();
        boolean isTaken = home.returned(() -> {
            coming.decrementAndGet();
            adopt(home, accepted);
        });
        if (!isTaken) coming.decrementAndGet();
        return isTaken;
    }

    private void adopt(EventLoop home, Accepted accepted) {
        try {
            int adopted = home.transport().adopt(accepted, options.accepted());
            new TcpConnection(home, adopted, true, reception.settings(), reception);
        } catch (IOException e) {
            reception.left();
            home.errors()
                    .log(
                            LOG,
                            Level.WARNING,
                            "listener",
                            () -> "a connection to " + Wording.of(address) + " was dropped",
                            e);
        }
    }

    void failed(Failure kind, String detail) {
        loop.totals().acceptsRefused.add(1);
        if (kind != Failure.NO_RESOURCES) {
            retryAfter(RETRY_NANOS, detail, CoreGuards.CONNECTIONS);
            return;
        }
        int closed = loop.shedding().shed();
        pause(closed > 0 ? detail + ", " + closed + " idle connections were closed" : detail, CoreGuards.DESCRIPTORS);
        long untilNanos = loop.nowNanos() + LOG_PATIENCE_NANOS;
        retryOnceLogged(closed > 0 ? Shedding.PAUSE_NANOS : RETRY_NANOS, untilNanos);
    }

    /// The log's first line needs descriptors, and would get none if accepting took every freed one at once. If the
    /// line is not written in time, accepting goes on.
    private void retryOnceLogged(long nanos, long untilNanos) {
        loop.timers().schedule(loop.nowNanos() + nanos, () -> {
            if (LogLines.isFirstDue() && loop.nowNanos() - untilNanos < 0) retryOnceLogged(nanos, untilNanos);
            else acceptAgain();
        });
    }

    private void retryAfter(long nanos, String why, Guard guard) {
        pause(why, guard);
        loop.timers().schedule(loop.nowNanos() + nanos, this::acceptAgain);
    }

    private void pause(String why, Guard guard) {
        guard.acted(address, "accepting waits: " + why);
        loop.transport().receive(socket, false);
    }

    /// A place was freed, or time has passed.
    void acceptAgain() {
        if (isClosed || !isAccepting || whenLeft != null || !reception.hasRoom()) return;
        var first = waiting;
        if (first != null) {
            if (!reception.admit()) return;
            waiting = null;
            place(first);
        }
        if (reception.hasRoom()) loop.transport().receive(socket, true);
    }

    /// Another descriptor of its socket, for another process, which shares the socket until [#unshare]; by the
    /// loop's thread.
    ///
    /// @throws IOException when it is closed, or no descriptor is left
    public int share() throws IOException {
        if (isClosed) throw new IOException("the listener of " + Wording.of(address) + " is closed");
        return descriptors(loop).share(socket);
    }

    /// No other process shares the socket any longer; by the loop's thread.
    public void unshare() {
        if (!isClosed) descriptors(loop).unshare(socket);
    }

    /// Leaves its socket to another process: connections accepted so far are still served. By the loop's thread.
    ///
    /// @param then called on the loop once it is closed
    public void leave(Runnable then) {
        if (isClosed) {
            then.run();
            return;
        }
        whenLeft = then;
        var last = waiting;
        waiting = null;
        if (last != null) accepted(last);
        descriptors(loop).leave(socket);
    }

    /// It was left, and no more connections come.
    void ended() {
        close();
    }

    /// Stops accepting; by the loop's thread.
    public void close() {
        if (isClosed) return;
        isClosed = true;
        loop.sockets().own(socket, null);
        loop.transport().close(socket);
        if (waiting != null) waiting.discard();
        if (whenLeft != null) whenLeft.run();
    }

    /// The loops for new connections: the least loaded one, or the listener's own.
    public record Placement(List<EventLoop> loops, boolean spread) {
        EventLoop next(EventLoop accepting) {
            return spread ? least(loops, accepting) : accepting;
        }

        /// A loop that has ended has no connections, and would be given all.
        static EventLoop least(List<EventLoop> loops, EventLoop first) {
            EventLoop least = first;
            for (var loop : loops) {
                boolean isBetter = least.isClosed() || load(loop) < load(least);
                if (isBetter && !loop.isClosed()) least = loop;
            }
            return least;
        }

        /// Connections on their way to a loop count, too: otherwise a loop that does not turn would be given
        /// everything.
        static long load(EventLoop loop) {
            return loop.connections() + loop.totals().coming.get();
        }
    }
}
