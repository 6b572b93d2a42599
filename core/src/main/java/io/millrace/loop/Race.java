package io.millrace.loop;

import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Connects to the first of several addresses that answers ("happy eyeballs", RFC 8305): each is tried a while
/// after the one before, or as soon as that one has failed. On the loop.
///
/// ```
///   first   ──────── … silent ───────────────────────── dropped
///   second  │← 250 ms →├── refused
///   third                       ├──────── answers: the connection
/// ```
final class Race implements ConnectionOrigin {
    /// The Connection Attempt Delay that RFC 8305 section 5 recommends.
    private static final long HEAD_START_NANOS = 250_000_000;

    private static final String CLOSED_EARLY = "closed before it was connected";

    private final EventLoop loop;
    private final ConnectionSettings settings;
    private final SocketOptions options;
    private final @Nullable SocketAddress from;
    private final Connector.Attempt attempt;
    private final Queue<SocketAddress> untried;
    private final List<TcpConnection> running = new ArrayList<>();
    private TimerWheel.@Nullable WheelTimer nextTry;
    private TimerWheel.@Nullable WheelTimer deadline;

    /// The first failure; the others are its suppressed exceptions.
    private @Nullable IOException failure;

    private @Nullable TcpConnection winner;
    private boolean isOver;

    Race(
            EventLoop loop,
            ConnectionSettings settings,
            SocketOptions options,
            @Nullable SocketAddress from,
            List<? extends SocketAddress> addresses,
            Connector.Attempt attempt) {
        this.loop = loop;
        this.settings = settings;
        this.options = options;
        this.from = from;
        this.untried = new ArrayDeque<>(addresses);
        this.attempt = attempt;
    }

    void start() {
        tryNext();
    }

    /// Starts with a time limit.
    ///
    /// @param tookTooLong the message when the time is over
    void start(long deadlineNanos, SocketAddress to, String tookTooLong) {
        deadline = loop.timers().schedule(deadlineNanos, () -> {
            CoreGuards.CONNECT_TIMEOUT.acted(to, tookTooLong);
            lose(new TimedOut(tookTooLong));
        });
        tryNext();
    }

    private void tryNext() {
        if (nextTry != null) nextTry.cancel();
        var to = untried.poll();
        if (to == null) return;
        try {
            int socket = loop.transport().connect(to, from, options);
            running.add(new TcpConnection(loop, socket, false, settings, this));
        } catch (IOException e) {
            failed(e);
            return;
        } catch (RuntimeException e) {
            // An option or an address that the transport does not know: the attempt must fail with it.
            failed(new IOException(e.getMessage(), e));
            return;
        }
        if (!untried.isEmpty()) nextTry = loop.timers().schedule(loop.nowNanos() + HEAD_START_NANOS, this::tryNext);
    }

    @Override
    public void opened(TcpConnection connection) {
        winner = connection;
        end();
        attempt.opened(connection);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the connection itself
    public void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause) {
        if (connection == winner) attempt.closed(connection, wasOpen, cause);
        else if (running.remove(connection) && !isOver) failed(cause == null ? new Reset(CLOSED_EARLY) : cause);
    }

    private void failed(IOException cause) {
        var first = failure;
        if (first == null) failure = cause;
        else first.addSuppressed(cause);
        if (!untried.isEmpty() && !loop.isClosed()) tryNext();
        else if (running.isEmpty()) lose(first == null ? cause : first);
    }

    private void lose(IOException cause) {
        end();
        attempt.failed(cause);
    }

    private void end() {
        isOver = true;
        untried.clear();
        if (nextTry != null) nextTry.cancel();
        if (deadline != null) deadline.cancel();
        if (winner != null) running.remove(winner);
        for (var connection : List.copyOf(running)) connection.fail(new Reset("another address answered first"));
        running.clear();
    }
}
