package io.millrace.loop;

import io.millrace.net.Guard;
import io.millrace.net.TimedOut;

/// The idle, read, write and close timeouts of one connection: one timer, which checks when something happened last
/// and schedules itself for the earliest moment at which a timeout could expire. Traffic costs it nothing.
final class Timeouts extends TimerWheel.WheelTimer {
    private final TcpConnection connection;
    private final ConnectionSettings settings;
    private long idleNanos;

    /// The moment `whenIdle` was called for.
    private long toldIdleNanos;

    /// The moment `whenReadIdle` was called for.
    private long toldReadIdleNanos;

    private boolean isEnding;
    private long endingSinceNanos;

    /// When it checks next.
    private long nextNanos;

    Timeouts(TcpConnection connection) {
        this.connection = connection;
        this.settings = connection.settings;
        this.idleNanos = settings.idleTimeoutNanos();
        this.toldIdleNanos = connection.loop.nowNanos();
        this.toldReadIdleNanos = toldIdleNanos;
        look();
    }

    /// Replaces the settings' idle timeout.
    void idle(long nanos) {
        idleNanos = nanos;
        look();
    }

    /// The connection ends, and output is on its way to its peer.
    void ending() {
        if (isEnding) return;
        isEnding = true;
        endingSinceNanos = connection.loop.nowNanos();
        long deadlineNanos = endingSinceNanos + settings.closeTimeoutNanos();
        if (!isScheduled() || deadlineNanos - nextNanos < 0) schedule(deadlineNanos);
    }

    @Override
    protected void fire() {
        look();
    }

    private void look() {
        long now = connection.loop.nowNanos();
        long received = connection.incoming.lastReceivedNanos();
        long active = connection.lastMovedNanos();
        long next = Long.MAX_VALUE;
        next = Math.min(next, left(idleNanos, active, now, CoreGuards.IDLE_TIMEOUT, "idle"));
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
        if (isEnding && !connection.outgoing.hasEnded()) next = Math.min(next, leftToClose(now));
        next = Math.min(next, tellIdle(active, now));
        next = Math.min(next, tellReadIdle(received, now));
        if (next != Long.MAX_VALUE && connection.state() != TcpConnection.State.CLOSED) schedule(now + next);
    }

    private void schedule(long deadlineNanos) {
        nextNanos = deadlineNanos;
        connection.loop.timers().schedule(this, deadlineNanos);
    }

    /// Each byte that the peer takes restarts the time; while user code has the output, the next step is its own.
    private long leftToClose(long now) {
        var outgoing = connection.outgoing;
        if (!outgoing.isInFlight() && !outgoing.isHeldByStage()) return atLeast(settings.closeTimeoutNanos());
        long since = later(endingSinceNanos, connection.outgoing.stuckSinceNanos());
        return left(settings.closeTimeoutNanos(), since, now, CoreGuards.CLOSE_TIMEOUT, "closing, and no byte sent");
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

    private static long atLeast(long timeout) {
        return timeout == 0 ? Long.MAX_VALUE : timeout;
    }

    private long tellIdle(long active, long now) {
        var whenIdle = settings.whenIdle();
        if (settings.whenIdleNanos() == 0 || whenIdle == null) return Long.MAX_VALUE;
        long since = later(active, toldIdleNanos);
        long left = since + settings.whenIdleNanos() - now;
        if (left > 0) return left;
        // During a loan another thread has the output, and the next step is its own.
        if (!connection.isOpen() || connection.isLent()) return settings.whenIdleNanos();
        toldIdleNanos = now;
        connection.callUser(() -> whenIdle.accept(connection));
        return settings.whenIdleNanos();
    }

    private long tellReadIdle(long received, long now) {
        long after = settings.whenReadIdleNanos();
        if (after == 0) return Long.MAX_VALUE;
        long left = later(received, toldReadIdleNanos) + after - now;
        if (left > 0) return left;
        // While it does not receive, or user code has the input, silence says nothing about the peer.
        if (!connection.isOpen() || connection.isLent() || !connection.incoming.isReceiving()) return after;
        toldReadIdleNanos = now;
        var whenReadIdle = settings.whenReadIdle();
        var style = connection.style();
        if (whenReadIdle != null) connection.callUser(() -> whenReadIdle.accept(connection));
        else if (style != null) style.idle();
        return after;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
