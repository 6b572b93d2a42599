package io.millrace.loop;

import java.util.ResourceBundle;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A logger that keeps no event loop waiting: what a loop has to say is written by a thread of its own ([LogLines]).
/// A log may be a pipe that nobody reads, or hold a monitor that somebody needs this loop to give back.
///
/// Lines of other threads are written at once, by them, but for those of guards. Any thread.
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

    /// The same for the lines of all threads: of those that may hold a lock which a loop needs, or that look after
    /// loops, and what one is stuck in may be the log.
    static LoopLog ofAll(String name) {
        return new LoopLog(System.getLogger(name), true);
    }

    /// Waits until what loops have said is written, or for a second. Not on a loop.
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

    /// Numbers are formatted by the log.
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
