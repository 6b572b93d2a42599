package io.millrace.http.h2;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Deadline;
import io.millrace.net.Guard;

/// Limits the time that a peer takes for its preface, for a head, and for the next request. It rests while a request
/// is served.
final class Http2Timeouts extends Deadline {
    private enum Watch {
        REST,
        HEAD,
        IDLE
    }

    private final ServerConnection connection;
    private Watch watch = Watch.REST;

    /// Which frame does not come to its end: as many have.
    private int frame;

    /// The rest of the frame may have been there already.
    private boolean hasStopped;

    private boolean isIdle;

    /// The last stream before it became idle: frames without requests do not extend the time, whether they come whole
    /// or in parts.
    private int sinceId;

    private long idleEndNanos;

    Http2Timeouts(ServerConnection connection) {
        super(connection.loop);
        this.connection = connection;
    }

    private HttpLimits limits() {
        return connection.serving.limits();
    }

    /// A call is over: what is expected of the peer may have changed.
    void update() {
        boolean wasIdle = isIdle && sinceId == connection.lastPeerId;
        isIdle = connection.isIdle();
        if (isIdle && !wasIdle) {
            sinceId = connection.lastPeerId;
            idleBegins();
        }
        if (connection.isInFrame()) head();
        else if (isIdle) idle();
        else rest();
    }

    /// The rest of a frame is expected; more of it does not extend the time, but that it is received again does.
    void head() {
        int ended = connection.reader.ended();
        boolean isReceiving = connection.connection.isReceiving();
        boolean receivesAgain = hasStopped && isReceiving;
        hasStopped = !isReceiving;
        if (watch == Watch.HEAD && frame == ended && !receivesAgain) return;
        watch = Watch.HEAD;
        frame = ended;
        long nanos = limits().headTimeout().toNanos();
        after(isIdle ? Math.min(nanos, idleNanos()) : nanos);
    }

    private void idleBegins() {
        idleEndNanos = connection.loop.nowNanos() + limits().idleTimeout().toNanos();
        watch = Watch.REST;
    }

    /// The next request is expected.
    private void idle() {
        if (watch == Watch.IDLE) return;
        watch = Watch.IDLE;
        after(idleNanos());
    }

    /// What is left of the time.
    private long idleNanos() {
        return Math.max(0, idleEndNanos - connection.loop.nowNanos());
    }

    private void rest() {
        if (watch == Watch.REST) return;
        watch = Watch.REST;
        clear();
    }

    /// For good.
    void end() {
        watch = Watch.REST;
        stop();
    }

    @Override
    protected void expired() {
        boolean isIdleOver = isIdle && idleNanos() == 0;
        switch (isIdleOver ? Watch.IDLE : watch) {
            case REST -> {}
            case IDLE -> idleIsOver();
            case HEAD -> headIsLate();
        }
    }

    /// Nothing is received while the peer does not take what was sent.
    private void headIsLate() {
        boolean wasStopped = hasStopped;
        hasStopped = !connection.connection.isReceiving();
        if (wasStopped || hasStopped) after(limits().headTimeout().toNanos());
        else close(HttpGuards.HEAD_TIMEOUT, "no complete head after " + limits().headTimeout());
    }

    /// A peer that still takes the last responses need not ask for more.
    private void idleIsOver() {
        if (connection.connection.unsentBytes() > 0) {
            idleBegins();
            idle();
            return;
        }
        close(HttpGuards.IDLE_TIMEOUT, "no request for " + limits().idleTimeout());
    }

    private void close(Guard guard, String detail) {
        guard.acted(connection.connection.remote(), detail);
        connection.closeWith(Http2Codes.NO_ERROR);
    }
}
