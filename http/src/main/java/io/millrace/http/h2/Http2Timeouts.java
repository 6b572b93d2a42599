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

    /// The last stream before it became idle: frames without requests do not extend the time.
    private int sinceId;

    /// Which one does not come to its end: as many have.
    private int frame;

    Http2Timeouts(ServerConnection connection) {
        super(connection.loop);
        this.connection = connection;
    }

    private HttpLimits limits() {
        return connection.serving.limits();
    }

    /// A call is over: what is expected of the peer may have changed.
    void update() {
        if (connection.isInFrame()) head();
        else if (connection.isIdle()) idle();
        else rest();
    }

    /// The rest of a frame is expected; more of it does not extend the time, and neither do further frames unless they
    /// are about requests.
    void head() {
        int ended = connection.reader.ended();
        boolean isSame = frame == ended || (connection.isIdle() && sinceId == connection.lastPeerId);
        if (watch == Watch.HEAD && isSame) return;
        watch = Watch.HEAD;
        frame = ended;
        sinceId = connection.lastPeerId;
        after(limits().headTimeout().toNanos());
    }

    /// The next request is expected.
    private void idle() {
        if (watch == Watch.IDLE && sinceId == connection.lastPeerId) return;
        watch = Watch.IDLE;
        sinceId = connection.lastPeerId;
        after(limits().idleTimeout().toNanos());
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
        switch (watch) {
            case REST -> {}
            case IDLE -> close(HttpGuards.IDLE_TIMEOUT, "no request for " + limits().idleTimeout());
            case HEAD -> close(HttpGuards.HEAD_TIMEOUT, "no complete head after " + limits().headTimeout());
        }
    }

    private void close(Guard guard, String detail) {
        guard.acted(connection.connection.remote(), detail);
        connection.closeWith(Frames.NO_ERROR);
    }
}
