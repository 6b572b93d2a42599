package io.millrace.proxy.configuration.file;

import io.millrace.TransportKind;
import io.millrace.http.filter.AccessLog.Format;
import io.millrace.proxy.admin.AdminRules;
import io.millrace.proxy.configuration.AccessLogSettings;
import io.millrace.proxy.configuration.AdminSettings;
import io.millrace.proxy.configuration.RuntimeSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.TextOr;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.Whole;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;

/// How the proxy is watched, and what it runs on.
final class OperationKeys {
    private static final Choice<Format> FORMATS = Choice.of(Format.class);
    private static final Key<Format> FORMAT = Key.standard(
            "format", FORMATS, Format.COMBINED, "As Apache and nginx write lines, or an object of JSON on each.");
    private static final Key<Path> FILE = Key.optional(
            "file",
            Words.NEW_FILE,
            "Opened again on SIGUSR1. Relative to the folder of the configuration. By default the standard output.");

    private static final Key<SocketAddress> ADDRESS = Key.required(
            "address",
            Addresses.OWN,
            "Where it listens: better on `127.0.0.1`, or on a Unix socket, than for everybody, which takes a `token`.");
    private static final Key<String> TOKEN = Key.optional(
            "token",
            Scalar.text("a token of " + AdminRules.TOKEN_WORDS, AdminRules.TOKEN_FORM, "${ADMIN_TOKEN}")
                    .secret(),
            "For what changes something, and for all of the page where other machines can reach it. Without it the page"
                    + " is for reading.");
    private static final Key<String> METRICS = Key.standard(
            "metrics",
            Scalar.text("a path", "/[A-Za-z0-9/_.-]*", "/metrics").checked(OperationKeys::checkFree),
            AdminRules.STANDARD_METRICS,
            "The path of the metrics for Prometheus.");

    private static final Key<Long> LOOPS =
            Key.optional("loops", new Whole(1, 1024, "event loops"), "Event loops; by default one for each core.");
    private static final Key<TransportKind> TRANSPORT = Key.standard(
            "transport",
            Choice.of(TransportKind.class),
            RuntimeSettings.STANDARD.transport(),
            "The kernel interface; `auto` is the best that works here.");
    private static final Key<Boolean> POOLED = Key.standard(
            "pooled",
            Words.FLAG,
            RuntimeSettings.STANDARD.isPooled(),
            "Whether memory for bytes under way is used again. Only for measurements it is not.");

    private static final Key<Long> AGGREGATE = Key.standard(
            "aggregate",
            new Size(0, 64L << 20),
            RuntimeSettings.STANDARD.aggregateBytes(),
            "Bodies of up to so many bytes are collected before they are passed on, and longer ones flow. Only for"
                    + " measurements it is more than 0.");

    private static final Key<Path> HAND_OVER = Key.optional(
            "hand-over",
            Words.SOCKET,
            "A socket for hot restarts: a process that is started with the same one takes over what this one listens"
                    + " on, and this one ends when its requests have. In a folder that nobody else can write to.");

    static final Key<AdminSettings> ADMIN = Key.optional(
            "admin",
            Section.of(
                    "admin",
                    "A page that shows what is going on, and metrics.",
                    OperationKeys::admin,
                    ADDRESS,
                    TOKEN,
                    METRICS),
            "A page that shows what is going on, and metrics.");

    static final Key<RuntimeSettings> RUNTIME = Key.standard(
            "runtime",
            Section.of(
                    "runtime",
                    "Threads and memory. Changes take effect with the next start.",
                    OperationKeys::runtime,
                    LOOPS,
                    TRANSPORT,
                    POOLED,
                    AGGREGATE,
                    HAND_OVER),
            RuntimeSettings.STANDARD,
            "Threads and memory.");

    static final Key<AccessLogSettings> ACCESS_LOG = Key.optional(
            "access-log",
            new TextOr<>(
                    formats(),
                    Section.of(
                            "access log",
                            "A line for each request.",
                            values -> new AccessLogSettings(values.of(FORMAT), values.optional(FILE)),
                            FORMAT,
                            FILE)),
            "A line for each request: a format, or a mapping.");

    private OperationKeys() {}

    private static RuntimeSettings runtime(Values values) {
        var transport = values.of(TRANSPORT);
        var handOver = values.optional(HAND_OVER);
        if (handOver.isPresent() && transport == TransportKind.NIO) {
            throw values.refused(HAND_OVER, "the transport nio cannot hand over sockets: take auto, epoll or uring");
        }
        int loops = values.optional(LOOPS).orElse(0L).intValue();
        return new RuntimeSettings(loops, transport, values.of(POOLED), values.of(AGGREGATE), handOver);
    }

    private static void checkFree(String path) {
        boolean isTaken = path.matches("/|/healthz|/ready|/api/.*|/[a-z]+\\.(css|js|svg)");
        if (isTaken) throw new IllegalArgumentException("the page itself is there: take another path");
    }

    private static AdminSettings admin(Values values) {
        var address = values.of(ADDRESS);
        if (values.optional(TOKEN).isEmpty() && !AdminRules.isLocal(address)) {
            throw values.refused(ADDRESS, AdminRules.OPEN_TO_ALL);
        }
        return new AdminSettings(address, values.optional(TOKEN), values.of(METRICS));
    }

    /// To the standard output.
    private static Choice<AccessLogSettings> formats() {
        var words = new LinkedHashMap<String, AccessLogSettings>();
        FORMATS.words().forEach((word, format) -> words.put(word, new AccessLogSettings(format, Optional.empty())));
        return new Choice<>(words);
    }
}
