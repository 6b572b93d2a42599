package io.millrace.proxy.upstream;

import io.millrace.loop.Wording;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Which changes of a state the log gets: [#AT_ONCE] in a row, and then one in ten seconds. Of the others the last
/// one waits, because the log has to end with the state that is true. Any thread.
final class ToldStates {
    static final int AT_ONCE = 10;

    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final BiConsumer<Level, String> log;

    /// Whether a change waits to be told.
    private volatile boolean isBehind;

    // Guarded by this.

    private int left = AT_ONCE;

    /// Up to when it has earned lines.
    private long earnedNanos;

    private long leftOut;
    private @Nullable Change waiting;

    private record Change(Level level, String what) {}

    ToldStates(BiConsumer<Level, String> log) {
        this.log = log;
    }

    /// Tells of a change now, or later.
    void changed(Level level, String what, long nowNanos) {
        tell(next(new Change(level, what), nowNanos));
    }

    /// Tells of the change that waits, if it is its time.
    void catchUp(long nowNanos) {
        if (isBehind) tell(next(null, nowNanos));
    }

    /// Not under the lock: logs may wait.
    private void tell(@Nullable Change due) {
        if (due != null) log.accept(due.level, due.what);
    }

    private synchronized @Nullable Change next(@Nullable Change change, long nowNanos) {
        if (change != null) {
            if (waiting != null) leftOut++;
            waiting = change;
        }
        var due = waiting;
        earn(nowNanos);
        if (due == null || left == 0) {
            isBehind = due != null;
            return null;
        }
        left--;
        waiting = null;
        isBehind = false;
        if (leftOut == 0) return due;
        var before = Wording.count(leftOut, "change") + " before it";
        leftOut = 0;
        return new Change(due.level, due.what + " (the log leaves out " + before + ")");
    }

    private void earn(long nowNanos) {
        if (left == AT_ONCE) earnedNanos = nowNanos;
        long lines = (nowNanos - earnedNanos) / APART_NANOS;
        if (lines <= 0) return;
        left = (int) Math.min(AT_ONCE, left + lines);
        earnedNanos += lines * APART_NANOS;
    }
}
