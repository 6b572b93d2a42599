package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.Deadline;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Guard;

/// Watches how long a peer takes between two exchanges: for what is left of a body, for a request at all, and for its
/// head. It rests while there is one.
final class RequestTimeouts {
    private static final long LOAN_NANOS = 1_000_000_000;

    private enum Watch {
        REST,
        IDLE,
        HEAD,
        BODY
    }

    private final TcpConnection connection;
    private final HttpLimits limits;
    private final long idleNanos;
    private final long headNanos;
    private final Deadline deadline;

    /// Written by the connection's thread; read by its loop.
    private volatile Watch watch = Watch.REST;

    RequestTimeouts(TcpConnection connection, HttpLimits limits) {
        this.connection = connection;
        this.limits = limits;
        this.idleNanos = limits.idleTimeout().toNanos();
        this.headNanos = limits.headTimeout().toNanos();
        this.deadline = new Deadline(EventLoop.of(connection.loop()), this::expired);
    }

    /// Nothing is expected of the peer.
    void rest() {
        if (watch == Watch.REST) return;
        watch = Watch.REST;
        deadline.clear();
    }

    /// The next request is.
    void idle() {
        watch = Watch.IDLE;
        deadline.after(idleNanos);
    }

    /// The rest of a head is; more of it does not give more time.
    void head() {
        if (watch == Watch.HEAD) return;
        watch = Watch.HEAD;
        deadline.after(headNanos);
    }

    /// The rest of a body is that nobody reads, within the time of a head.
    void body() {
        if (watch == Watch.BODY) return;
        watch = Watch.BODY;
        deadline.after(headNanos);
    }

    void cancel() {
        watch = Watch.REST;
        deadline.cancel();
    }

    /// On the loop. While another thread has the connection, the peer waits for us.
    private void expired() {
        if (connection.isLent()) {
            deadline.after(LOAN_NANOS);
            return;
        }
        switch (watch) {
            case REST -> {}
            case IDLE -> end(HttpGuards.IDLE_TIMEOUT, "no request for " + limits.idleTimeout());
            case HEAD -> end(HttpGuards.HEAD_TIMEOUT, "no complete head after " + limits.headTimeout());
            case BODY -> restIsLate();
        }
    }

    /// Nothing is received while the peer takes nothing.
    private void restIsLate() {
        if (connection.isFull()) deadline.after(headNanos);
        else end(HttpGuards.UNREAD, "a body that nobody reads goes on after " + limits.headTimeout());
    }

    private void end(Guard guard, String detail) {
        guard.acted(connection.remote(), detail);
        connection.close();
    }
}
