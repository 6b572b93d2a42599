package io.millrace.http.websocket;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Deadline;
import io.millrace.loop.Departing;
import io.millrace.loop.Departures;
import io.millrace.loop.EventLoop;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// The one timer of a socket: asks a silent peer whether it is there, gives it up, says goodbye in a drain, and ends
/// what a close frame does not end. On the loop.
///
/// ```
///   heard ── pingAfter ─► asks ─ … until idleTimeout ─► gives up
///   a drain ── a moment of its own ─► leaves
///   a close frame ── until the peer has taken it, and closeTimeout ─► gives up
/// ```
abstract class SocketClock extends Deadline implements Departing {
    /// The peer was asked whether it is there since it was last heard.
    private boolean hasPinged;

    private long heardNanos;

    /// What the peer had taken at the last look.
    private long lastTakenBytes;

    /// The timer is that of the close frame.
    private boolean awaitsClose;

    private boolean hasCloseLeft;

    /// When a drain has it leave.
    private @Nullable Long leaveNanos;

    SocketClock(EventLoop loop) {
        super(loop);
    }

    abstract WebSocketSettings settings();

    abstract SocketAddress remote();

    /// A close frame was sent, or is about to be.
    abstract boolean isClosing();

    /// Whether the peer cannot be heard: it is not read, or has not got what it would answer.
    ///
    /// @param takesMore whether it has taken something since the last look: a connection with much output does not
    ///     receive, and a ping waits behind what was sent before
    abstract boolean isDeaf(boolean takesMore);

    /// What its connection has taken so far.
    abstract long takenBytes();

    abstract void ask();

    /// A drain wants it to close.
    abstract void leave();

    abstract void giveUp(String why);

    abstract void abort();

    /// Ends its connection or stream in order.
    abstract void endNow();

    abstract EventLoop loop();

    /// The peer has sent something.
    final void heard() {
        heardNanos = loop().nowNanos();
        hasPinged = false;
        awaitMore();
    }

    /// A close frame is sent, behind what the peer has not taken yet.
    final void awaitClose() {
        awaitsClose = true;
        lastTakenBytes = takenBytes();
        after(closeNanos());
    }

    /// The close frame has left, and its answer has to come in time.
    final void awaitAnswer() {
        hasCloseLeft = true;
        after(closeNanos());
    }

    /// Not all at the same moment: their peers come back.
    @Override
    public final void departs(Departures all) {
        if (leaveNanos != null) return;
        long now = loop().nowNanos();
        leaveNanos = now + all.nextNanos(now, closeNanos());
        awaitMore();
    }

    private void awaitMore() {
        if (isClosing()) return;
        long now = loop().nowNanos();
        long silence = silenceNanos();
        long wait = silence == 0 ? Long.MAX_VALUE : heardNanos + silence - now;
        if (leaveNanos != null) wait = Math.min(wait, leaveNanos - now);
        if (wait != Long.MAX_VALUE) after(wait);
    }

    /// How long the silence lasts when something is due; 0 for ever.
    private long silenceNanos() {
        long ping = pingNanos();
        long idle = idleNanos();
        boolean isPingNext = ping > 0 && !hasPinged && (idle == 0 || ping < idle);
        return isPingNext ? ping : idle;
    }

    private long closeNanos() {
        return ConnectionSettings.nanos(settings().closeTimeout(), "closeTimeout");
    }

    private long pingNanos() {
        return ConnectionSettings.nanos(settings().pingAfter(), "pingAfter");
    }

    private long idleNanos() {
        return ConnectionSettings.nanos(settings().idleTimeout(), "idleTimeout");
    }

    @Override
    protected final void expired() {
        if (awaitsClose) {
            closeIsLate();
            return;
        }
        // The time for the answer begins in a moment.
        if (isClosing()) return;
        long now = loop().nowNanos();
        if (leaveNanos != null && leaveNanos - now <= 0) leave();
        else silent(now);
    }

    private void closeIsLate() {
        if (hasCloseLeft) {
            HttpGuards.WS_CLOSE.acted(remote(), "the peer does not answer a close frame");
            // The kernel may have some of it, which an abort would drop.
            endNow();
        } else if (takesMore()) {
            after(closeNanos());
        } else {
            HttpGuards.WS_CLOSE.acted(remote(), "the peer takes nothing of what is in front of a close frame");
            abort();
        }
    }

    /// Whether the peer has taken something since the last look.
    private boolean takesMore() {
        long taken = takenBytes();
        boolean takesMore = taken != lastTakenBytes;
        lastTakenBytes = taken;
        return takesMore;
    }

    private void silent(long now) {
        if (isDeaf(takesMore())) heardNanos = now;
        long silence = now - heardNanos;
        if (idleNanos() > 0 && silence >= idleNanos()) {
            HttpGuards.WS_IDLE.acted(remote(), "nothing was heard for " + silence / 1_000_000 + " ms");
            giveUp("the peer was silent");
            return;
        }
        if (pingNanos() > 0 && silence >= pingNanos() && !hasPinged) {
            hasPinged = true;
            ask();
        }
        awaitMore();
    }
}
