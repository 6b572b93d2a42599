package io.millrace.loop;

import java.util.ResourceBundle;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A logger that never blocks an event loop: a separate thread writes a loop's lines ([LogLines]). A log may be a
/// pipe that is not read, or hold a monitor whose owner waits for this loop.
///
/// Other threads write their lines themselves, at once, except those of guards. Any thread.
public final class LoopLog implements System.Logger {
    private final System.Logger to;
    private final boolean isForAll;

    private LoopLog(System.Logger to, boolean isForAll) {
        this.to = to;
        this.isForAll = isForAll;
    }

    public static LoopLog of(String name) {
        return to(System.getLogger(name));
    }

    public static LoopLog to(System.Logger log) {
        return log instanceof LoopLog same ? same : new LoopLog(log, false);
    }

    /// The same for the lines of all threads: for those that may hold a lock that a loop needs, and for those that
    /// watch loops, because a loop may be stuck in the log.
    static LoopLog ofAll(String name) {
        return new LoopLog(System.getLogger(name), true);
    }

    /// Waits until the loops' lines so far are written, at most a second. Not on a loop.
    public static void settle() {
        LogLines.await();
    }

    @Override
    public String getName() {
        return to.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
        return to.isLoggable(level);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
        if (isLoggable(level)) write(() -> to.log(level, bundle, text, thrown));
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            @Nullable String format,
            @Nullable Object @Nullable ... values) {
        if (!isLoggable(level)) return;
        var now = values == null
                ? null
                : Stream.of(values).map(LoopLog::asItIsNow).toArray();
        write(() -> to.log(level, bundle, format, now));
    }

    /// The value as it is now; the log formats numbers.
    private static Object asItIsNow(@Nullable Object value) {
        if (value instanceof Number) return value;
        try {
            return String.valueOf(value);
        } catch (RuntimeException e) {
            return "(" + e + ")";
        }
    }

    private void write(Runnable line) {
        if (isForAll || EventLoop.isCallerARealLoop()) {
            LogLines.add(line);
            return;
        }
        LogDescriptors.openLog();
        line.run();
    }
}
