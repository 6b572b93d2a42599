package io.millrace.http.pool;

import io.millrace.http.exchange.PooledConnection;
import io.millrace.net.Loop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// When a pool gives its permits to other loops that want them. On its loop only.
///
/// - A connection that is idle goes if no request waits for it, and otherwise after some requests.
/// - A shared one that is in use goes only when it is empty: withdrawn before, it would keep its permit, and its own
///   loop would have neither. After some requests new ones wait while it empties, for a moment; then it goes on. It
///   is not tried while an exchange lasts that has lasted longer than that.
/// - Others have a head start on a permit that is given back: its own loop would always be the first to take it.
final class GivingWay {
    /// So rare that a new connection for it costs next to nothing.
    private static final int SERVED_IN_FRONT = 32;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /// Longer than a turn of a loop.
    private static final Duration HEAD_START = Duration.ofMillis(5);

    private final Loop loop;
    private final Duration patience;
    private final Runnable goOn;

    /// Requests that were served here while other loops waited for permits.
    private int servedInFront;

    private @Nullable PooledConnection emptying;
    private Loop.@Nullable Timer untilFull;
    private Loop.@Nullable Timer headStart;

    /// @param mostWaitNanos of a request; 0 means no limit
    /// @param goOn serves what has waited
    GivingWay(Loop loop, long mostWaitNanos, Runnable goOn) {
        this.loop = loop;
        boolean isShort = mostWaitNanos > 0 && mostWaitNanos / 2 < PATIENCE.toNanos();
        this.patience = isShort ? Duration.ofNanos(mostWaitNanos / 2) : PATIENCE;
        this.goOn = goOn;
    }

    /// An exchange is over, and others want the permit or do not.
    ///
    /// @param isNeeded whether requests wait for the connection
    /// @return whether it goes now
    boolean goes(PooledConnection connection, boolean areOthers, boolean isNeeded) {
        if (!areOthers) {
            servedInFront = 0;
            keep();
            return false;
        }
        boolean isIdle = connection.isIdle();
        if (connection.equals(emptying)) return isIdle;
        boolean isTurn = (isIdle && !isNeeded) || ++servedInFront % SERVED_IN_FRONT == 0;
        if (isTurn && !isIdle) empty(connection);
        return isTurn && isIdle;
    }

    private void empty(PooledConnection connection) {
        if (emptying != null || connection.hasLasting(patience.toNanos())) return;
        emptying = connection;
        untilFull = loop.after(patience, this::keep);
    }

    /// Whether this connection takes no new exchanges for now.
    boolean isEmptying(PooledConnection connection) {
        return connection.equals(emptying);
    }

    /// It can carry no more exchanges, whatever comes.
    void gone(PooledConnection connection) {
        if (connection.equals(emptying)) stopEmptying();
    }

    private void keep() {
        if (emptying == null) return;
        stopEmptying();
        goOn.run();
    }

    private void stopEmptying() {
        emptying = null;
        if (untilFull != null) untilFull.cancel();
        untilFull = null;
    }

    /// A permit is about to be given back that others want.
    void letOthersFirst() {
        if (headStart == null) headStart = loop.after(HEAD_START, this::comesNext);
    }

    /// Whether others have a head start.
    boolean isBehind() {
        return headStart != null;
    }

    private void comesNext() {
        headStart = null;
        goOn.run();
    }

    /// A request cannot wait.
    ///
    /// @return whether that was needed, so that it may not be any more
    boolean stops() {
        boolean wasGiving = emptying != null || headStart != null;
        if (headStart != null) headStart.cancel();
        headStart = null;
        stopEmptying();
        if (wasGiving) goOn.run();
        return wasGiving;
    }
}
