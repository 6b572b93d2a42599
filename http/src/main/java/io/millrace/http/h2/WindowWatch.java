package io.millrace.http.h2;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Deadline;

/// Limits the time that what is written waits for a window of the peer. A window that opens by a few bytes now and
/// then is as good as shut: of each stream, and of all together, some bytes a second must be taken. It rests while
/// nothing waits.
final class WindowWatch extends Deadline {
    /// As of the peer's bodies, by default.
    private static final long LEAST_BYTES_PER_SECOND = 240;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final ServerConnection connection;
    private final long limitNanos;
    private final long leastBytes;
    private boolean isWatching;

    /// Whether the connection's window was shut when the time began, and what had been sent by then.
    private boolean wasShut;

    private long sentBytes;

    WindowWatch(ServerConnection connection, long limitNanos) {
        super(connection.loop);
        this.connection = connection;
        this.limitNanos = limitNanos;
        this.leastBytes = LEAST_BYTES_PER_SECOND * Math.max(1, limitNanos / SECOND_NANOS);
    }

    /// Bytes wait, and it may be a window that keeps them.
    void watch() {
        if (isWatching || limitNanos == 0) return;
        isWatching = true;
        mark();
    }

    /// Nothing waits.
    void rest() {
        if (!isWatching) return;
        isWatching = false;
        clear();
    }

    /// For good.
    void end() {
        isWatching = false;
        stop();
    }

    private void mark() {
        wasShut = connection.isWindowShut();
        sentBytes = connection.sentBytes();
        for (var stream : connection.streams.all()) stream.mark();
        after(limitNanos);
    }

    @Override
    protected void expired() {
        if (!isWatching) return;
        boolean isMoving = connection.sentBytes() - sentBytes >= leastBytes;
        if (!isMoving && wasShut && connection.isWindowShut()) {
            HttpGuards.HTTP2_WINDOW.acted(connection.connection.remote(), "the window of the connection stayed shut");
            connection.closeWith(Http2Codes.NO_ERROR);
            return;
        }
        for (var stream : connection.streams.all()) {
            if (!stream.hasStayedStuck(leastBytes, isMoving)) continue;
            HttpGuards.HTTP2_WINDOW.acted(
                    connection.connection.remote(), "the window of stream " + stream.id + " stayed shut");
            connection.giveUp(stream, "the peer did not take the response");
        }
        mark();
    }
}
