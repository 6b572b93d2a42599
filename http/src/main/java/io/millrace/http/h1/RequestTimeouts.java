package io.millrace.http.h1;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Deadline;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Guard;

/// Limits the time that a peer takes between two exchanges: for the rest of a body, for the next request, and for
/// its head. It rests during an exchange.
final class RequestTimeouts extends Deadline {
    private static final long LOAN_NANOS = 1_000_000_000;

    private enum Watch {
        REST,
        IDLE,
        HEAD,
        BODY
    }

    private final TcpConnection connection;
    private final HttpServing serving;

    /// Written by the connection's thread; read by its loop.
    private volatile Watch watch = Watch.REST;

    RequestTimeouts(TcpConnection connection, HttpServing serving) {
        super(EventLoop.of(connection.loop()));
        this.connection = connection;
        this.serving = serving;
    }

    /// Nothing is expected of the peer.
    void rest() {
        if (watch == Watch.REST) return;
        watch = Watch.REST;
        clear();
    }

    /// The next request is expected.
    void idle() {
        watch = Watch.IDLE;
        after(serving.idleNanos());
    }

    /// The rest of a head is expected; more of it does not extend the time.
    void head() {
        if (watch == Watch.HEAD) return;
        watch = Watch.HEAD;
        after(serving.headNanos());
    }

    /// The rest of an unread body is expected, within the head's timeout.
    void body() {
        if (watch == Watch.BODY) return;
        watch = Watch.BODY;
        after(serving.headNanos());
    }

    /// For good.
    void end() {
        watch = Watch.REST;
        stop();
    }

    /// On the loop. While another thread has the connection, the peer waits for the server.
    @Override
    protected void expired() {
        if (connection.isLent()) {
            after(LOAN_NANOS);
            return;
        }
        switch (watch) {
            case REST -> {}
            case IDLE -> idleIsOver();
            case HEAD ->
                close(
                        HttpGuards.HEAD_TIMEOUT,
                        "no complete head after " + serving.limits().headTimeout());
            case BODY -> restIsLate();
        }
    }

    /// A peer that still takes the last response need not ask for more.
    private void idleIsOver() {
        if (connection.unsentBytes() > 0) after(serving.idleNanos());
        else close(HttpGuards.IDLE_TIMEOUT, "no request for " + serving.limits().idleTimeout());
    }

    /// Nothing is received while the peer does not read.
    private void restIsLate() {
        if (connection.isFull()) after(serving.headNanos());
        else
            close(
                    HttpGuards.UNREAD,
                    "an unread body goes on after " + serving.limits().headTimeout());
    }

    private void close(Guard guard, String detail) {
        guard.acted(connection.remote(), detail);
        connection.close();
    }
}
