package io.millrace.http.h2;

import io.millrace.loop.Deadline;
import io.millrace.loop.TcpConnection;
import io.millrace.net.TimedOut;

/// Finds out whether a client's server is still there (RFC 9113 section 6.7), and ends connections that carry nothing
/// for long.
///
/// ```
///   IDLE ── request ──► BUSY ── nothing received ──► PINGED ── still nothing ──► the connection fails
///    │    └─ the first in a while ───────────────────┘  └─ something ──► BUSY
///    └── no request for long ──► the connection ends
/// ```
/// Servers end connections with many PINGs: if there was one since the connection was idle, the next comes late.
final class Http2Liveness extends Deadline {
    private static final long QUIET_NANOS = 10_000_000_000L;
    private static final long LATER_NANOS = 300_000_000_000L;
    private static final long ANSWER_NANOS = 5_000_000_000L;

    private enum Watch {
        NEW,
        IDLE,
        BUSY,
        PINGED
    }

    private final ClientSideConnection owner;
    private final TcpConnection connection;
    private final long keptNanos;
    private Watch watch = Watch.NEW;
    private long idleSinceNanos;
    private boolean hasPinged;

    /// Bytes when the watch began.
    private long receivedBytes;

    Http2Liveness(ClientSideConnection owner, long keptNanos) {
        super(owner.loop);
        this.owner = owner;
        this.connection = owner.connection;
        this.keptNanos = keptNanos;
        this.idleSinceNanos = owner.loop.nowNanos();
    }

    /// A call is over: the connection may have become idle, or busy.
    void update() {
        if (owner.isIdle()) idle();
        else if (watch == Watch.IDLE || watch == Watch.NEW) begins();
    }

    private void idle() {
        if (watch == Watch.IDLE) return;
        watch = Watch.IDLE;
        hasPinged = false;
        idleSinceNanos = owner.loop.nowNanos();
        if (keptNanos > 0) after(keptNanos);
        else clear();
    }

    private void begins() {
        if (owner.loop.nowNanos() - idleSinceNanos > QUIET_NANOS) ping();
        else busy();
    }

    private void busy() {
        watch = Watch.BUSY;
        receivedBytes = connection.receivedBytes();
        after(hasPinged ? LATER_NANOS : QUIET_NANOS);
    }

    private void ping() {
        watch = Watch.PINGED;
        hasPinged = true;
        receivedBytes = connection.receivedBytes();
        owner.ping();
        after(ANSWER_NANOS);
    }

    @Override
    protected void expired() {
        boolean hasReceived = connection.receivedBytes() != receivedBytes;
        switch (watch) {
            case NEW -> {}
            case IDLE -> owner.end();
            case BUSY -> {
                if (hasReceived) busy();
                else ping();
            }
            case PINGED -> {
                if (hasReceived) busy();
                // While memory is tight the answer is not received.
                else if (!connection.isReceiving()) after(ANSWER_NANOS);
                else
                    connection.fail(new TimedOut(
                            connection.remote() + " has not answered a PING for " + ANSWER_NANOS / 1_000_000 + " ms"));
            }
        }
    }
}
