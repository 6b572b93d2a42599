package io.millrace.loop;

import io.millrace.net.Guard;
import io.millrace.net.TimedOut;

/// The idle, read, write and close timeouts of one connection: one timer, which checks when something happened last
/// and schedules itself for the earliest moment at which a timeout could expire. Traffic costs it nothing.
class Timeouts extends TimerWheel.WheelTimer {
    final TcpConnection connection;
    private long idleNanos;

    /// Since when the connection ends, and output is on its way to its peer; 0 before that.
    private long endingSinceNanos;

    /// When it checks next.
    private long nextNanos;

    Timeouts(TcpConnection connection) {
        this.connection = connection;
        this.idleNanos = connection.settings.idleTimeoutNanos();
    }

    /// Those of the connection's settings; they run.
    static Timeouts begin(TcpConnection connection) {
        var timeouts = connection.settings.tellsIdle() ? new IdleTimeouts(connection) : new Timeouts(connection);
        timeouts.look();
        return timeouts;
    }

    /// Replaces the settings' idle timeout.
    void idle(long nanos) {
        idleNanos = nanos;
        look();
    }

    /// The connection ends, and output is on its way to its peer.
    void ending() {
        if (endingSinceNanos != 0) return;
        endingSinceNanos = connection.loop.nowNanos() | 1;
        long deadlineNanos = endingSinceNanos + connection.settings.closeTimeoutNanos();
        if (!isScheduled() || deadlineNanos - nextNanos < 0) schedule(deadlineNanos);
    }

    @Override
    protected void fire() {
        look();
    }

    private void look() {
        var settings = connection.settings;
        long now = connection.loop.nowNanos();
        long received = connection.incoming.lastReceivedNanos();
        long next = Long.MAX_VALUE;
        next = Math.min(next, left(idleNanos, connection.lastMovedNanos(), now, CoreGuards.IDLE_TIMEOUT, "idle"));
        // While user code has the input, the next step is its own, not the peer's.
        if (connection.incoming.isReceiving() && !connection.isLent()) {
            next = Math.min(
                    next,
                    left(settings.readTimeoutNanos(), received, now, CoreGuards.READ_TIMEOUT, "no byte received"));
        } else {
            next = Math.min(next, atLeast(settings.readTimeoutNanos()));
        }
        if (connection.outgoing.isInFlight()) {
            long stuck = connection.outgoing.stuckSinceNanos();
            next = Math.min(
                    next, left(settings.writeTimeoutNanos(), stuck, now, CoreGuards.WRITE_TIMEOUT, "no byte sent"));
        } else {
            next = Math.min(next, atLeast(settings.writeTimeoutNanos()));
        }
        if (endingSinceNanos != 0 && !connection.outgoing.hasEnded()) next = Math.min(next, leftToClose(now));
        next = Math.min(next, tellIdle(received, now));
        if (next != Long.MAX_VALUE && connection.state() != TcpConnection.State.CLOSED) schedule(now + next);
    }

    private void schedule(long deadlineNanos) {
        nextNanos = deadlineNanos;
        connection.loop.timers().schedule(this, deadlineNanos);
    }

    /// Each byte that the peer takes restarts the time; while user code has the output, the next step is its own.
    private long leftToClose(long now) {
        var outgoing = connection.outgoing;
        if (!outgoing.isInFlight() && !outgoing.isHeldByStage())
            return atLeast(connection.settings.closeTimeoutNanos());
        long since = later(endingSinceNanos, connection.outgoing.stuckSinceNanos());
        return left(
                connection.settings.closeTimeoutNanos(),
                since,
                now,
                CoreGuards.CLOSE_TIMEOUT,
                "closing, and no byte sent");
    }

    /// How long until this timeout can expire; closes the connection if it has.
    private long left(long timeout, long since, long now, Guard guard, String what) {
        if (timeout == 0) return Long.MAX_VALUE;
        long left = since + timeout - now;
        if (left > 0) return left;
        if (connection.state() == TcpConnection.State.CLOSED) return timeout;
        var detail = what + " for " + timeout / 1_000_000 + " ms (" + guard.name() + ")";
        guard.acted(connection.remote(), detail);
        connection.fail(new TimedOut(detail + ", peer " + Wording.of(connection.remote())));
        return timeout;
    }

    /// Tells user code what it wants to know of idleness; how long until it has to be told again.
    long tellIdle(long received, long now) {
        return Long.MAX_VALUE;
    }

    private static long atLeast(long timeout) {
        return timeout == 0 ? Long.MAX_VALUE : timeout;
    }

    static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
