package io.millrace.http.h2;

/// What a peer may have us do without progress: frames that bring nothing, resets of either side, refused streams.
/// Useful bytes and requests that complete refill it, and time does slowly, so that a connection may live for long.
final class WorkBudget {
    static final int MOST = 1_000;

    /// A reset by either side, or a stream refused: a head was read for nothing.
    static final int RESET = 5;

    /// A frame that brings nothing.
    static final int FRAME = 1;

    /// Bytes of a frame that is worth what the peer says to it.
    static final int LEAST_FRAME = 64;

    private static final int COMPLETE = 10;

    /// Windows that grow by what was sent, of the stream and of the connection, and a PING: clients of gRPC measure
    /// with one how much may be under way.
    private static final int ANSWERS = 3;

    /// They may all come together, late: a usual window, sent byte by byte.
    private static final int MOST_ANSWERS = ANSWERS * Http2Codes.USUAL_WINDOW;

    private static final long NANOS_PER_UNIT = 10_000_000;

    private int left = MOST;

    /// What the peer may say to frames it was sent.
    private int answers;

    private long refilledNanos;

    /// Useful bytes that do not make a unit yet.
    private long bytes;

    WorkBudget(long nowNanos) {
        refilledNanos = nowNanos;
    }

    /// @throws Http2Error when it is used up
    void spend(int units, long nowNanos, String on) throws Http2Error {
        left -= units;
        if (left >= 0) return;
        refill(nowNanos);
        if (left < 0)
            throw new Http2Error(Http2Codes.ENHANCE_YOUR_CALM, "too much work without progress, at last " + on);
    }

    private void refill(long nowNanos) {
        long units = Math.min(MOST, (nowNanos - refilledNanos) / NANOS_PER_UNIT);
        if (units <= 0) return;
        refilledNanos = nowNanos;
        left = (int) Math.min(MOST, left + units);
    }

    /// A request and its response are complete.
    void complete() {
        left = Math.min(MOST, left + COMPLETE);
    }

    /// A frame of a body was sent, which was not small, or all that its stream had to send: the peer opens two windows
    /// for it, and may send a PING. One that opens them bit by bit gets nothing for that.
    void sentOne() {
        answers = Math.min(MOST_ANSWERS, answers + ANSWERS);
    }

    /// The peer opens a window, or sends a PING.
    ///
    /// @return false if it has nothing to say that to: that is work
    boolean isDueAnswer() {
        if (answers == 0) return false;
        answers--;
        return true;
    }

    /// Bytes of bodies have moved, in either direction.
    void moved(long count) {
        bytes += count;
        left = (int) Math.min(MOST, left + bytes / 1024);
        bytes %= 1024;
    }
}
