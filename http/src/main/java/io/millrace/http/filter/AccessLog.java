package io.millrace.http.filter;

import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.http.operation.AccessLines;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Optional;

/// Writes a line for each request, to a file or the standard output.
///
/// ```java
/// try (var log = AccessLog.open(AccessLog.Format.COMBINED, Optional.of(Path.of("access.log")))) {
///     Http.listen(on, HttpSettings.standard().listener(log), app);
/// ```
/// No loop waits for the file: a separate thread writes, a moment later. If it cannot keep up, lines are dropped
/// and counted ([#dropped]). Whatever peers send, a request is always one line. Any thread.
public final class AccessLog implements RequestListener, AutoCloseable {
    /// The format of a line.
    public enum Format {
        /// As Apache and nginx write it. A request that got no response has the status 499, as with nginx.
        COMBINED,
        /// An object of JSON (RFC 8259). Behind [RequestIds] it has a `request_id`.
        JSON
    }

    private final AccessLines lines;

    private AccessLog(AccessLines lines) {
        this.lines = lines;
    }

    /// Opens a log, which appends if the file exists.
    ///
    /// @param file empty for the standard output
    /// @throws java.io.UncheckedIOException when the file cannot be opened, with the remedy
    public static AccessLog open(Format format, Optional<Path> file) {
        return open(format, file, LogFields.NONE);
    }

    /// As [#open(Format, Optional)], with more fields in JSON.
    public static AccessLog open(Format format, Optional<Path> file, LogFields fields) {
        var clock = InstantSource.system();
        return new AccessLog(
                switch (format) {
                    case COMBINED -> AccessLines.combined(file, clock, ZoneId.systemDefault());
                    case JSON -> AccessLines.json(file, clock, fields::of);
                });
    }

    @Override
    public void over(ServedRequest served) {
        lines.write(served);
    }

    /// Continues in a new file of the same name, after the old one was moved away.
    ///
    /// @throws java.io.UncheckedIOException when it cannot be opened; the log then stays in the old one
    public void reopen() {
        lines.reopen();
    }

    /// Writes all lines that wait.
    public void flush() {
        lines.flush();
    }

    /// How many lines have been dropped so far.
    public long dropped() {
        return lines.dropped();
    }

    /// Writes all lines that wait, and no more.
    @Override
    public void close() {
        lines.close();
    }
}
