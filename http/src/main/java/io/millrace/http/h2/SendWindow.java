package io.millrace.http.h2;

/// What the peer takes: on a stream, or on all of them together (RFC 9113 section 5.2).
///
/// A window that has been larger and is almost used up is left until it has grown. If each small window were used at
/// once, a peer that gives back what it has read would give back as little, and the frames would stay small (the
/// silly window syndrome, RFC 1122 section 4.2.3.4).
final class SendWindow {
    private long left;

    /// The largest so far, under the present settings.
    private long most;

    SendWindow(long bytes) {
        left = bytes;
        most = bytes;
    }

    /// The peer takes more.
    ///
    /// @return false if that is more than there may be
    boolean grow(long more) {
        left += more;
        most = Math.max(most, left);
        return left <= Http2Codes.MOST_WINDOW;
    }

    /// The peer's settings have changed the size of windows, by less than 0 too.
    ///
    /// @return false if that is more than there may be
    boolean resize(long more) {
        most += more;
        return grow(more);
    }

    void take(long bytes) {
        left -= bytes;
    }

    /// Whether so many bytes may be sent at once.
    boolean takes(long bytes) {
        return bytes <= left;
    }

    /// Bytes to send now, of those that wait; 0 or less if there are none.
    long sendable(long waiting) {
        if (waiting <= left) return waiting;
        boolean isSilly = left < WorkBudget.LEAST_FRAME && 2 * left < most;
        return isSilly ? 0 : left;
    }
}
