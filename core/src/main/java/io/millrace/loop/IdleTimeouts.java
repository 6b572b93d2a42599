package io.millrace.loop;

/// Timeouts that also tell user code that nothing was sent or received for a while, or nothing received, and again
/// after as long.
final class IdleTimeouts extends Timeouts {
    /// The moment `whenIdle` was called for.
    private long toldIdleNanos;

    /// The moment `whenReadIdle` was called for.
    private long toldReadIdleNanos;

    IdleTimeouts(TcpConnection connection) {
        super(connection);
        this.toldIdleNanos = connection.loop.nowNanos();
        this.toldReadIdleNanos = toldIdleNanos;
    }

    @Override
    long tellIdle(long received, long now) {
        return Math.min(tellUnmoved(now), tellUnread(received, now));
    }

    private long tellUnmoved(long now) {
        var settings = connection.settings;
        var whenIdle = settings.whenIdle();
        if (settings.whenIdleNanos() == 0 || whenIdle == null) return Long.MAX_VALUE;
        long since = later(connection.lastMovedNanos(), toldIdleNanos);
        long left = since + settings.whenIdleNanos() - now;
        if (left > 0) return left;
        // During a loan another thread has the output, and the next step is its own.
        if (!connection.isOpen() || connection.isLent()) return settings.whenIdleNanos();
        toldIdleNanos = now;
        connection.callUser(() -> whenIdle.accept(connection));
        return settings.whenIdleNanos();
    }

    private long tellUnread(long received, long now) {
        long after = connection.settings.whenReadIdleNanos();
        if (after == 0) return Long.MAX_VALUE;
        long left = later(received, toldReadIdleNanos) + after - now;
        if (left > 0) return left;
        // While it does not receive, or user code has the input, silence says nothing about the peer.
        if (!connection.isOpen() || connection.isLent() || !connection.incoming.isReceiving()) return after;
        toldReadIdleNanos = now;
        var whenReadIdle = connection.settings.whenReadIdle();
        var style = connection.style();
        if (whenReadIdle != null) connection.callUser(() -> whenReadIdle.accept(connection));
        else if (style != null) style.idle();
        return after;
    }
}
