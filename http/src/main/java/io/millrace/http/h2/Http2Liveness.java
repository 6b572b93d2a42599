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
/// Servers end connections with many PINGs: if there was one since the connection was idle, the next comes late. Behind
/// a long request a PING arrives late, and so does its answer: a server that takes what is sent is there.
final class Http2Liveness extends Deadline {
    private static final long QUIET_NANOS = 10_000_000_000L;
    private static final long LATER_NANOS = 300_000_000_000L;
    private static final long ANSWER_NANOS = 5_000_000_000L;

    /// So much longer an answer may take for each byte that was sent since something was received: 10 KB/s.
    private static final long BYTE_NANOS = 100_000;

    private static final long MOST_BEHIND_NANOS = 60_000_000_000L;

    /// More than that is unsent because the server takes it slowly, and not because the turn is not over.
    private static final long BACKLOG_BYTES = 4 << 10;

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

    /// Something was received since the watch began.
    private boolean hasHeard;

    /// When something was received last.
    private long sentBytes;

    /// When the wait for an answer began; no bytes if there was no backlog.
    private long waitingBytes;

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
        hasHeard = false;
        after(hasPinged ? LATER_NANOS : QUIET_NANOS);
    }

    private void ping() {
        watch = Watch.PINGED;
        hasPinged = true;
        owner.ping();
        await();
    }

    private void await() {
        hasHeard = false;
        boolean isBehind = connection.unsentBytes() + owner.queuedBytes() > BACKLOG_BYTES;
        waitingBytes = isBehind ? connection.sentBytes() : 0;
        long behindBytes = connection.sentBytes() - sentBytes;
        after(ANSWER_NANOS + Math.min(behindBytes * BYTE_NANOS, MOST_BEHIND_NANOS));
    }

    /// Something was received.
    void heard() {
        hasHeard = true;
        sentBytes = connection.sentBytes();
    }

    /// Whether the server has taken some of what had to wait for it.
    private boolean takesSome() {
        return waitingBytes > 0 && connection.sentBytes() > waitingBytes;
    }

    @Override
    protected void expired() {
        switch (watch) {
            case NEW -> {}
            case IDLE -> owner.end();
            case BUSY -> {
                if (hasHeard) busy();
                else ping();
            }
            case PINGED -> {
                if (hasHeard) busy();
                // While memory is tight the answer is not received.
                else if (takesSome() || !connection.isReceiving()) await();
                else connection.fail(new TimedOut(connection.remote() + " has not answered a PING"));
            }
        }
    }
}
