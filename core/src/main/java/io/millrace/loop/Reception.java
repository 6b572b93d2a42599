package io.millrace.loop;

import java.io.IOException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Shared by the listeners of one server: the limit of connections, their settings, and what gives them a style.
public final class Reception implements ConnectionOrigin {
    private static final int SHARES = 64;
    private static final long SPREAD_NANOS = 1_000_000_000;

    private final ConnectionSettings settings;
    private final Listener.Placement placement;
    private final Consumer<TcpConnection> greeter;
    private final Standing sessions;
    private final int limit;

    /// Connections of this server on all loops.
    private final AtomicInteger connections = new AtomicInteger();

    /// When another process took over its listeners; written before the flag.
    private long leftNanos;

    private volatile boolean isLeft;
    private volatile @Nullable Departures departures;

    private final CopyOnWriteArrayList<Listener> listeners = new CopyOnWriteArrayList<>();

    /// @param greeter gives a new connection its style
    /// @param limit   the most connections at a time
    /// @param earnAfter see [Standing]
    public Reception(
            ConnectionSettings settings,
            Listener.Placement placement,
            int limit,
            int earnAfter,
            Consumer<TcpConnection> greeter) {
        this.settings = settings;
        this.placement = placement;
        this.limit = limit;
        this.greeter = greeter;
        this.sessions = new Standing(earnAfter);
    }

    void add(Listener listener) {
        listeners.add(listener);
    }

    public int connections() {
        return connections.get();
    }

    int limit() {
        return limit;
    }

    boolean hasRoom() {
        return connections.get() < limit;
    }

    /// Counts a new connection, unless the server is full.
    boolean admit() {
        int now = connections.get();
        // Not incremented and decremented again: a connection that closes meanwhile would not see that it made
        // room.
        while (now < limit && !connections.compareAndSet(now, now + 1)) now = connections.get();
        return now < limit;
    }

    /// Counts a connection that was accepted before the server knew that it was leaving.
    void admitLast() {
        connections.incrementAndGet();
    }

    /// Another process takes new connections from now on; once, any thread.
    public void leave() {
        leftNanos = System.nanoTime();
        isLeft = true;
    }

    public boolean isLeft() {
        return isLeft;
    }

    /// Spread over time: the other process has just started, and its first responses are slow.
    @Override
    public boolean isLast(int share) {
        return isLeft && System.nanoTime() - leftNanos >= SPREAD_NANOS / SHARES * (share % SHARES);
    }

    /// The server drains from now on. Any thread.
    public void departs(Departures all) {
        departures = all;
    }

    @Override
    public @Nullable Departures departures() {
        return departures;
    }

    /// Counts a closed connection, and tells the listeners if that made room.
    void left() {
        if (connections.getAndDecrement() != limit) return;
        for (var listener : listeners) listener.loop().returned(listener::acceptAgain);
    }

    ConnectionSettings settings() {
        return settings;
    }

    EventLoop placement(EventLoop accepting) {
        return placement.next(accepting);
    }

    @Override
    public void opened(TcpConnection connection) {
        if (FlightEvents.areOn()) {
            new FlightEvents.AcceptedConnection(Wording.of(connection.remote()), connection.loop.name()).commit();
        }
        greeter.accept(connection);
    }

    @Override
    public Standing sessions() {
        return sessions;
    }

    @Override
    public void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause) {
        left();
    }
}
