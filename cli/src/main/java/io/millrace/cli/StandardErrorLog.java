package io.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger;
import java.text.MessageFormat;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Writes log records to standard error, a line each: standard output belongs to the commands. The JDK finds it
/// as the application's logger finder; it starts faster than `java.logging`.
public final class StandardErrorLog extends System.LoggerFinder {
    /// The lowest level that is written. Any thread; a few records more or less while it changes do not matter.
    private static volatile Logger.Level least = Logger.Level.WARNING;

    /// The loggers that are written from INFO on in any case.
    private static final Set<String> TELLING = ConcurrentHashMap.newKeySet();

    /// For the JDK.
    public StandardErrorLog() {}

    static void show(Logger.Level level) {
        least = level;
    }

    /// Writes a logger's INFO records, too: backends that go down and come up, for instance.
    ///
    /// @param logger its name
    static void showNewsOf(String logger) {
        TELLING.add(logger);
    }

    @Override
    public Logger getLogger(String name, Module module) {
        return new Line(name);
    }

    private record Line(String name) implements Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            if (level == Level.OFF) return false;
            boolean isNews = level.getSeverity() >= Level.INFO.getSeverity() && TELLING.contains(name);
            return isNews || level.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
            if (!isLoggable(level)) return;
            write(level, String.valueOf(text), thrown);
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
            if (!isLoggable(level)) return;
            var isPlain = format == null || values == null || values.length == 0;
            write(level, isPlain ? String.valueOf(format) : MessageFormat.format(format, values), null);
        }

        /// A record is written in one call, so that records of several threads do not mix.
        private void write(Level level, String text, @Nullable Throwable thrown) {
            var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            var line = now + " " + level + " " + name + ": " + text.replaceAll("\\R", " ");
            System.err.println(thrown == null ? line : line + System.lineSeparator() + stackOf(thrown));
        }

        private static String stackOf(Throwable thrown) {
            var stack = new StringWriter();
            thrown.printStackTrace(new PrintWriter(stack, true));
            return stack.toString().stripTrailing();
        }
    }
}
