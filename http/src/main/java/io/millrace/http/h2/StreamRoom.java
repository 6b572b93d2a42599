package io.millrace.http.h2;

/// Whether an exchange should stop writing to its stream, and whether to tell it that it may go on.
///
/// ```
///   ROOM ─ more than `high` waits, or the connection has no room ─► FULL, and the exchange knows ─ no more than `low`
/// ─► news
/// ```
final class StreamRoom {
    private final Http2Stream stream;
    private final long highBytes;
    private final long lowBytes;

    /// Written by the thread that has the stream, or on the loop.
    private volatile boolean wasToldFull;

    StreamRoom(Http2Stream stream, long highBytes, long lowBytes) {
        this.stream = stream;
        this.highBytes = highBytes;
        this.lowBytes = lowBytes;
    }

    /// Whether the exchange should stop writing, which it is told with this.
    ///
    /// @param unsentBytes that wait on its stream
    /// @param isElsewhere whether room may come before the loop knows that the exchange waits for it
    boolean isFull(long unsentBytes, boolean isElsewhere) {
        if (!isFullNow(unsentBytes)) return false;
        wasToldFull = true;
        if (isElsewhere) stream.later(stream::hasRoom);
        return true;
    }

    /// Whether it was told that it is full, and there is room.
    boolean isNews(long unsentBytes) {
        return wasToldFull && !isFullNow(unsentBytes);
    }

    /// The same, once: it is told. On the loop.
    boolean takeNews(long unsentBytes) {
        if (!isNews(unsentBytes)) return false;
        wasToldFull = false;
        return true;
    }

    private boolean isFullNow(long unsentBytes) {
        return unsentBytes > (wasToldFull ? lowBytes : highBytes) || stream.owner.isFullFor(unsentBytes);
    }
}
