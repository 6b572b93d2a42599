package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.operation.AccessLines;
import io.millrace.http.operation.AccessLines.LineLayout;
import io.millrace.http.operation.LogTime;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;

/// Writes a line for each request, to a file or the standard output.
///
/// ```java
/// try (var log = AccessLog.open(AccessLog.Format.COMBINED, Optional.of(Path.of("access.log")))) {
///     Http.listen(on, HttpSettings.standard().listener(log), app);
/// ```
/// No loop waits for the file: a separate thread writes, a moment later. If it cannot keep up, lines are dropped
/// and counted ([#dropped]). Whatever peers send, a request is always one line. Any thread.
public final class AccessLog implements RequestListener, AutoCloseable {
    /// The format of a line: one of those that programs know, or one of one's own. Two that say the same are equal.
    public static final class Format {
        /// As Apache writes it. A request that got no response has the status 499, as with nginx.
        public static final Format COMMON = new Format("common", Map.of());

        /// The same with `Referer` and `User-Agent`, as Apache and nginx write it.
        public static final Format COMBINED = new Format("combined", Map.of());

        /// An object of JSON (RFC 8259). Behind [RequestIds] it has a `request_id`.
        public static final Format JSON = new Format("json", Map.of());

        private final String text;
        private final Map<String, RequestTemplate> fields;

        private Format(String text, Map<String, RequestTemplate> fields) {
            this.text = text;
            this.fields = fields;
        }

        /// A line of text with values in braces: those of a [RequestTemplate] except parameters of a path, and
        /// `time`, `local-time`, `status`, `grpc-status`, `request-bytes`, `response-bytes`, `seconds`,
        /// `first-byte-seconds`, `protocol`, `user`, `route`, `refused`, `failure`, and those of
        /// [LogFields#names]. A value that is not there is `-`.
        ///
        /// ```java
        /// AccessLog.Format.of("{client} \"{method} {path}{query}\" {status} {seconds}")
        /// ```
        /// @throws IllegalArgumentException for a text without a value, or with characters that are not
        ///     printable ASCII or tab, and as [RequestTemplate#of]
        public static Format of(String text) {
            var _ = LogTemplate.checked(text);
            return new Format(text, Map.of());
        }

        /// An object of JSON with these fields, whose texts are as in [#of]. A field that is one value is a number
        /// if the value is; one whose values are all not there is left out.
        ///
        /// @param fields by name, at least one
        /// @throws IllegalArgumentException as [#of]
        public static Format json(SequencedMap<String, String> fields) {
            if (fields.isEmpty()) throw new IllegalArgumentException("a line without fields: name some");
            var checked = new LinkedHashMap<String, RequestTemplate>();
            fields.forEach((name, value) -> checked.put(name, LogTemplate.checked(value)));
            return new Format(JSON.text, Collections.unmodifiableMap(checked));
        }

        private List<RequestTemplate> templates() {
            if (!fields.isEmpty()) return List.copyOf(fields.values());
            return isKnown() ? List.of() : List.of(LogTemplate.checked(text));
        }

        private boolean isKnown() {
            return List.of(COMMON.text, COMBINED.text, JSON.text).contains(text);
        }

        /// Whether all names are values that a log has, with these fields.
        ///
        /// @throws IllegalArgumentException naming one that is none, and those that are
        public void check(LogFields more) {
            for (var template : templates()) LogTemplate.check(template, more);
        }

        private LineLayout layout(LogFields more) {
            check(more);
            var clock = InstantSource.system();
            var json = LogTime.json(clock);
            var local = LogTime.combined(clock, ZoneId.systemDefault());
            if (!fields.isEmpty()) return new LogTemplate(json, local, more).json(fields);
            if (equals(COMMON)) return AccessLines.common(local);
            if (equals(COMBINED)) return AccessLines.combined(local);
            if (equals(JSON)) return AccessLines.json(json, more::of);
            return new LogTemplate(json, local, more).line(LogTemplate.checked(text));
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Format other
                    && text.equals(other.text)
                    && List.copyOf(fields.entrySet()).equals(List.copyOf(other.fields.entrySet()));
        }

        @Override
        public int hashCode() {
            return Objects.hash(text, fields);
        }

        /// As a configuration names it.
        @Override
        public String toString() {
            return fields.isEmpty() ? text : text + " " + fields;
        }
    }

    private static final HttpFilter OFF = next -> request -> {
        var received = ReceivedRequest.behind(request);
        if (received != null) received.unlogged();
        return next.handle(request);
    };

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

    /// As [#open(Format, Optional)], with more fields: all of them in JSON, and by name in a format of one's own.
    ///
    /// @throws IllegalArgumentException if the format names a value that there is not
    public static AccessLog open(Format format, Optional<Path> file, LogFields fields) {
        return new AccessLog(new AccessLines(file, format.layout(fields)));
    }

    /// A filter for handlers whose requests write no line, like health checks.
    public static HttpFilter off() {
        return OFF;
    }

    @Override
    public void over(ServedRequest served) {
        var received = served.request().map(ReceivedRequest::behind);
        if (received.isEmpty() || received.get().isLogged()) lines.write(served);
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
