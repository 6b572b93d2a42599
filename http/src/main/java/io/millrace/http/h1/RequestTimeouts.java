package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.Deadline;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Guard;

/// Limits the time that a peer takes between two exchanges: for the rest of a body, for the next request, and for
/// its head. It rests during an exchange.
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

    /// The next request is expected.
    void idle() {
        watch = Watch.IDLE;
        deadline.after(idleNanos);
    }

    /// The rest of a head is expected; more of it does not extend the time.
    void head() {
        if (watch == Watch.HEAD) return;
        watch = Watch.HEAD;
        deadline.after(headNanos);
    }

    /// The rest of an unread body is expected, within the head's timeout.
    void body() {
        if (watch == Watch.BODY) return;
        watch = Watch.BODY;
        deadline.after(headNanos);
    }

    void cancel() {
        watch = Watch.REST;
        deadline.cancel();
    }

    /// On the loop. While another thread has the connection, the peer waits for the server.
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

    /// Nothing is received while the peer does not read.
    private void restIsLate() {
        if (connection.isFull()) deadline.after(headNanos);
        else end(HttpGuards.UNREAD, "an unread body goes on after " + limits.headTimeout());
    }

    private void end(Guard guard, String detail) {
        guard.acted(connection.remote(), detail);
        connection.close();
    }
}
