package io.millrace.http.operation;

import io.millrace.http.Request;
import io.millrace.http.ServedRequest;
import io.millrace.http.message.ReceivedRequest;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Writes the lines of an access log. Any thread.
///
/// ```
///   client - user [time] "request" status bytes "referer" "user agent"      combined
///   {"time":…,"client":…,"method":…,…}                                      JSON
/// ```
public final class AccessLines implements AutoCloseable {
    private static final long MOST_WAITING = 8 << 20;

    /// nginx's status for a client that left before it got a response.
    private static final int NO_RESPONSE = 499;

    private static final String FAILURE = "failure";
    private static final String REQUEST_ID = "request_id";

    /// What a line has.
    @FunctionalInterface
    public interface LineLayout {
        /// Writes a line, without its end.
        void write(ServedRequest served, LogLine line);
    }

    private final LineLayout layout;
    private final LogFile file;

    /// Opens a log, which appends if the file exists.
    ///
    /// @throws java.io.UncheckedIOException when the file cannot be opened, with the remedy
    public AccessLines(Optional<Path> path, LineLayout layout) {
        this.layout = layout;
        this.file = new LogFile(path, MOST_WAITING);
    }

    /// As Apache's `common`.
    public static LineLayout common(LogTime time) {
        return (served, line) -> common(served, time, line);
    }

    /// As Apache's and nginx's `combined`: `common` with two fields more.
    public static LineLayout combined(LogTime time) {
        return (served, line) -> {
            common(served, time, line);
            line.text(" \"").escaped(field(served, "Referer").orElse("-"), "");
            line.text("\" \"")
                    .escaped(field(served, "User-Agent").orElse("-"), "")
                    .text("\"");
        };
    }

    /// A JSON object.
    ///
    /// @param fields more of them for each line, texts or numbers; a `failure` and a `request_id` stand in place of
    ///     the server's own
    public static LineLayout json(LogTime time, Function<ServedRequest, Map<String, Object>> fields) {
        return (served, line) -> json(served, fields.apply(served), time, line);
    }

    public void write(ServedRequest served) {
        var line = new LogLine();
        layout.write(served, line);
        file.write(line.end());
    }

    private static void common(ServedRequest served, LogTime time, LogLine line) {
        var request = served.request();
        line.text(client(served)).text(" - ");
        line.escaped(user(served).orElse("-"), " ")
                .text(" [")
                .text(time.second())
                .text("] \"");
        if (request.isEmpty()) line.escaped(served.refusedLine(), "");
        else {
            line.escaped(request.get().method(), "").text(" ").escaped(target(request.get()), "");
            line.text(" ").text(served.protocol());
        }
        line.text("\" ").number(status(served));
        line.text(" ").number(served.responseBytes());
    }

    /// For a log: nginx's own for a client that left before it got a response.
    public static int status(ServedRequest served) {
        return served.status() == 0 ? NO_RESPONSE : served.status();
    }

    private static void json(ServedRequest served, Map<String, Object> more, LogTime time, LogLine line) {
        line.text("{\"time\":\"").text(time.millisecond());
        line.text("\",\"client\":").json(client(served));
        user(served).ifPresent(name -> line.text(",\"user\":").json(name));
        served.request().ifPresent(request -> request(request, line));
        requestId(served)
                .filter(_ -> !more.containsKey(REQUEST_ID))
                .ifPresent(id -> line.text(",\"" + REQUEST_ID + "\":").json(id));
        if (!served.refusedLine().isEmpty()) line.text(",\"refused\":").json(served.refusedLine());
        line.text(",\"protocol\":").json(served.protocol());
        line.text(",\"status\":").number(served.status());
        if (served.grpcStatus().isPresent())
            line.text(",\"grpc_status\":").number(served.grpcStatus().getAsInt());
        line.text(",\"complete\":").text(served.isComplete() ? "true" : "false");
        line.text(",\"request_bytes\":").number(served.requestBytes());
        line.text(",\"response_bytes\":").number(served.responseBytes());
        line.text(",\"seconds\":").seconds(served.nanos());
        if (served.firstByteNanos() > 0) line.text(",\"first_byte_seconds\":").seconds(served.firstByteNanos());
        more.forEach((name, value) -> field(name, value, line));
        var failure = more.getOrDefault(FAILURE, served.failure()).toString();
        if (!failure.isEmpty()) line.text(",\"failure\":").json(failure);
        field(served, "Referer").ifPresent(text -> line.text(",\"referer\":").json(text));
        field(served, "User-Agent")
                .ifPresent(text -> line.text(",\"user_agent\":").json(text));
        line.text("}");
    }

    private static void request(Request request, LogLine line) {
        line.text(",\"method\":").json(request.method());
        request.header("Host").ifPresent(host -> line.text(",\"host\":").json(host));
        line.text(",\"path\":").json(request.path());
        if (!request.query().isEmpty()) line.text(",\"query\":").json(request.query());
    }

    private static Optional<String> requestId(ServedRequest served) {
        return served.request().map(ReceivedRequest::behind).flatMap(ReceivedRequest::id);
    }

    private static void field(String name, Object value, LogLine line) {
        if (name.equals(FAILURE)) return;
        line.text(",\"" + name + "\":");
        if (value instanceof Number number) line.text(number.toString());
        else line.json(value.toString());
    }

    private static String target(Request request) {
        return request.query().isEmpty() ? request.path() : request.path() + "?" + request.query();
    }

    private static String client(ServedRequest served) {
        var client = served.request().map(Request::remote).orElseGet(served::remote);
        return client instanceof InetSocketAddress at ? at.getAddress().getHostAddress() : "-";
    }

    private static Optional<String> field(ServedRequest served, String name) {
        return served.request().flatMap(request -> request.header(name));
    }

    /// The client's claim; the status tells whether it is true.
    public static Optional<String> user(ServedRequest served) {
        if (served.status() == 401) return Optional.empty();
        return field(served, "Authorization")
                .flatMap(Credentials::parse)
                .map(Credentials::user)
                .filter(name -> !name.isEmpty());
    }

    /// Continues in a new file of the same name.
    ///
    /// @throws java.io.UncheckedIOException when it cannot be opened; the log then stays in the old one
    public void reopen() {
        file.reopen();
    }

    public void flush() {
        file.flush();
    }

    public long dropped() {
        return file.dropped();
    }

    @Override
    public void close() {
        file.close();
    }
}
