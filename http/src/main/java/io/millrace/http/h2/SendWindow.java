package io.millrace.http.h2;

/// What the peer takes: on a stream, or on all of them together (RFC 9113 section 5.2).
///
/// A window that has been larger and is almost used up is left until it has grown. If each small window were used at
/// once, a peer that gives back what it has read would give back as little, and the frames would stay small (the
/// silly window syndrome, RFC 1122 section 4.2.3.4). It does not wait for long, since the peer may give back nothing
/// before it has got what it asked for.
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
        return leavesSome(waiting) ? 0 : Math.min(waiting, left);
    }

    /// Whether little is left, and is not used yet.
    boolean leavesSome(long waiting) {
        return 0 < left && left < waiting && left < WorkBudget.LEAST_FRAME && 2 * left < most;
    }

    /// It has not grown for a while: what is left is used.
    void useRest() {
        if (0 < left && left < WorkBudget.LEAST_FRAME) most = left;
    }
}
