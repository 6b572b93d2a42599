package io.millrace.loop;

import io.millrace.memory.Slab;
import io.millrace.transport.Completions;
import io.millrace.transport.Failure;
import io.millrace.transport.Transport;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The owner of each socket of a loop, which gets the transport's events for it; the loop's.
final class Sockets implements Completions {
    private static final System.Logger LOG = LoopLog.of("io.millrace.loop");

    private final EventLoop loop;

    /// A [TcpConnection] or a [Listener] for each socket index.
    private @Nullable Object[] owners = new Object[64];

    /// Connections whose receiving waits for memory.
    private final ArrayList<Incoming> starved = new ArrayList<>();

    Sockets(EventLoop loop) {
        this.loop = loop;
    }

    /// From now on this socket's completions go to `owner`, or are dropped if that is null.
    void own(int socket, @Nullable Object owner) {
        int index = Transport.index(socket);
        if (index >= owners.length) owners = Arrays.copyOf(owners, Math.max(index + 1, owners.length * 2));
        owners[index] = owner;
    }

    private @Nullable Object owner(int socket) {
        return owners[Transport.index(socket)];
    }

    void forEachOwner(Consumer<Object> visitor) {
        for (var owner : owners.clone()) {
            if (owner != null) visitor.accept(owner);
        }
    }

    void abortAll() {
        forEachOwner(owner -> {
            try {
                if (owner instanceof TcpConnection connection) connection.loopClosed();
                else if (owner instanceof Listener listener) listener.close();
            } catch (RuntimeException | Error e) {
                // The other owners have to be called, too.
                loop.failed("connection", e);
            }
        });
    }

    // Events of the transport.

    @Override
    public void awake() {
        loop.awoke();
    }

    @Override
    public void accepted(int socket, Transport.Accepted accepted) {
        if (!(owner(socket) instanceof Listener listener)) {
            accepted.discard();
            return;
        }
        try {
            listener.accepted(accepted);
        } catch (Throwable e) {
            loop.failed("listener", e);
        }
    }

    @Override
    public void connected(int socket) {
        if (!(owner(socket) instanceof TcpConnection connection)) return;
        try {
            connection.connected();
        } catch (Throwable e) {
            broke(connection, e);
        }
    }

    @Override
    public void received(int socket, Slab slab) {
        loop.totals().bytesReceived.add(slab.readable());
        if (!(owner(socket) instanceof TcpConnection connection)) {
            loop.pool().give(slab, Slab.Owner.KERNEL);
            return;
        }
        try {
            connection.incoming.received(slab);
        } catch (Throwable e) {
            broke(connection, e);
        }
        loop.delivered();
    }

    @Override
    public void sent(int socket, long count, boolean done) {
        if (!(owner(socket) instanceof TcpConnection connection)) return;
        try {
            connection.outgoing.sent(count, done);
        } catch (Throwable e) {
            broke(connection, e);
        }
    }

    @Override
    public void ended(int socket) {
        var owner = owner(socket);
        try {
            if (owner instanceof Listener listener) listener.ended();
            else if (owner instanceof TcpConnection connection) connection.incoming.ended();
        } catch (Throwable e) {
            broke(owner, e);
        }
    }

    @Override
    public void failed(int socket, Failure kind, String detail) {
        var owner = owner(socket);
        try {
            switch (owner) {
                case TcpConnection connection -> connection.failed(kind, detail);
                case Listener listener -> listener.failed(kind, detail);
                case null, default -> LOG.log(Level.DEBUG, "{0}: failure of a closed socket: {1}", loop, detail);
            }
        } catch (Throwable e) {
            broke(owner, e);
        }
    }

    /// Whatever a connection throws here, at the memory limit for instance, ends the connection and not the loop.
    void broke(@Nullable Object owner, Throwable cause) {
        loop.failed(owner instanceof Listener ? "listener" : "connection", cause);
        try {
            if (owner instanceof TcpConnection connection) connection.threw(cause);
        } catch (Throwable e) {
            loop.failed("connection", e);
        }
    }

    // Lack of memory.

    @Override
    public void starved(int socket) {
        loop.totals().receivesStarved.add(1);
        if (!(owner(socket) instanceof TcpConnection connection)) return;
        CoreGuards.SLABS.acted(
                connection.remote(), "receiving waits, " + loop.pool().bytesOut() + " bytes in use");
        connection.incoming.starved();
        starved.add(connection.incoming);
    }

    boolean areStarved() {
        return !starved.isEmpty();
    }

    /// Lets connections that waited for memory receive again, if there is some.
    void feedStarved() {
        if (starved.isEmpty() || !loop.pool().canReceive()) return;
        var fed = List.copyOf(starved);
        starved.clear();
        fed.forEach(Incoming::fed);
    }
}
