package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Guard;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.Wording;
import java.time.Duration;

/// Watches how long a peer takes: for a request at all, for its head, and for its body. It rests while the peer
/// waits for us.
final class RequestTimeouts {
    private static final Duration RATE_WINDOW = Duration.ofSeconds(10);
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

    /// Written by the connection's thread, like the rest; read by its loop.
    private volatile Watch watch = Watch.REST;

    private volatile long bodyBytes;
    private volatile long windowBytes;

    /// Written by the loop, and by the connection's thread when a body begins.
    private volatile boolean isTooSlow;

    /// The loop's: user code on another thread had the connection when a time was over.
    private boolean wasLent;

    RequestTimeouts(TcpConnection connection, HttpLimits limits) {
        this.connection = connection;
        this.limits = limits;
        this.idleNanos = limits.idleTimeout().toNanos();
        this.headNanos = limits.headTimeout().toNanos();
        this.deadline = new Deadline((EventLoop) connection.loop(), this::expired);
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

    /// More of a body is.
    ///
    /// @param received bytes of it so far
    void body(long received) {
        bodyBytes = received;
        if (watch == Watch.BODY) return;
        watch = Watch.BODY;
        windowBytes = received;
        isTooSlow = false;
        if (limits.bodyBytesPerSecond() > 0) deadline.after(RATE_WINDOW.toNanos());
        else deadline.clear();
    }

    /// Whether the body that is awaited has arrived more slowly than it may.
    boolean isTooSlow() {
        return isTooSlow && watch == Watch.BODY;
    }

    void cancel() {
        watch = Watch.REST;
        deadline.cancel();
    }

    /// On the loop. While another thread has the connection, the peer waits for us.
    private void expired() {
        if (connection.isLent()) {
            wasLent = true;
            deadline.after(LOAN_NANOS);
            return;
        }
        switch (watch) {
            case REST -> {}
            case IDLE -> end(Guard.HTTP_IDLE_TIMEOUT, "no request for " + limits.idleTimeout());
            case HEAD -> end(Guard.HTTP_HEAD_TIMEOUT, "no complete head after " + limits.headTimeout());
            case BODY -> checkRate();
        }
    }

    private void checkRate() {
        if (wasLent) {
            wasLent = false;
            restartWindow();
            return;
        }
        long arrived = bodyBytes - windowBytes;
        long least = limits.bodyBytesPerSecond() * RATE_WINDOW.toSeconds();
        // While it does not take our answer, we do not let it send.
        if (arrived < least && !connection.isFull()) {
            Guard.HTTP_BODY_RATE.acted(
                    connection.remote(),
                    arrived + " bytes of a body in " + Wording.of(RATE_WINDOW) + ", at least " + least);
            isTooSlow = true;
            connection.callHandler();
            return;
        }
        restartWindow();
    }

    private void restartWindow() {
        windowBytes = bodyBytes;
        deadline.after(RATE_WINDOW.toNanos());
    }

    private void end(Guard guard, String detail) {
        guard.acted(connection.remote(), detail);
        connection.close();
    }
}
