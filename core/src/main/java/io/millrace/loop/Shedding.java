package io.millrace.loop;

import io.millrace.net.Overloaded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/// Makes room on one loop for new connections by closing dispensable ones, some at a time.
///
/// - Without descriptors: those that are [Expendable], first the ones to which nothing was sent for the longest
///   time, whatever they have sent. A new connection has a quarter of a second to send a request; it counts as if
///   something had been sent to it a second before it opened.
/// - Without memory, so that accepting waits: those that do not take what they asked for, first the ones that have
///   not for the longest time, until memory is no longer tight.
///
/// Belongs to the loop's thread.
final class Shedding {
    private static final int MOST = 64;
    private static final long LEAST_IDLE_NANOS = 1_250_000_000;
    private static final long LEAST_STUCK_NANOS = 500_000_000;

    /// Waits until closed connections are gone: the kernel returns memory with its next completions.
    static final long PAUSE_NANOS = 5_000_000;

    private final EventLoop loop;
    private long relievedNanos;

    /// From when accepting has to wait for memory until that is no longer tight: new connections must not find just
    /// a little.
    private boolean isShort;

    Shedding(EventLoop loop) {
        this.loop = loop;
        this.relievedNanos = loop.nowNanos() - PAUSE_NANOS;
    }

    /// Closes connections for lack of descriptors.
    ///
    /// @return how many were closed
    int shed() {
        var idle = oldest(Shedding::isExpendable, connection -> connection.outgoing.lastSentNanos(), LEAST_IDLE_NANOS);
        idle.forEach(TcpConnection::close);
        return idle.size();
    }

    /// Closes connections for lack of memory.
    void relieve() {
        var pool = loop.pool();
        isShort = isShort ? pool.isTight() : !pool.mayAccept();
        if (!isShort || loop.nowNanos() - relievedNanos < PAUSE_NANOS) return;
        relievedNanos = loop.nowNanos();
        var stuck = oldest(
                connection -> connection.outgoing.isInFlight(),
                connection -> connection.outgoing.stuckSinceNanos(),
                LEAST_STUCK_NANOS);
        for (var connection : stuck) {
            var detail = "memory is short, and it took none of " + connection.outgoing.unsent() + " bytes for "
                    + (loop.nowNanos() - connection.outgoing.stuckSinceNanos()) / 1_000_000 + " ms (slabs.bytes)";
            CoreGuards.SLABS.acted(connection.remote(), detail);
            connection.fail(new Overloaded(detail));
        }
    }

    /// Whether memory is short, as of the last turn's end.
    boolean isShort() {
        return isShort;
    }

    private List<TcpConnection> oldest(
            Predicate<TcpConnection> isWanted, ToLongFunction<TcpConnection> since, long leastNanos) {
        long latest = loop.nowNanos() - leastNanos;
        var found = new ArrayList<TcpConnection>();
        loop.forEachOwner(owner -> {
            if (!(owner instanceof TcpConnection connection) || !isWanted.test(connection)) return;
            if (since.applyAsLong(connection) - latest <= 0) found.add(connection);
        });
        found.sort(Comparator.comparingLong(connection -> since.applyAsLong(connection) - latest));
        return found.subList(0, Math.min(MOST, found.size()));
    }

    private static boolean isExpendable(TcpConnection connection) {
        var style = connection.style();
        return connection.state() == TcpConnection.State.OPEN
                && !connection.isLent()
                && !connection.outgoing.isSending()
                && style != null
                && style.isExpendable();
    }
}
