package io.millrace.proxy.configuration.file;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.http.filter.AccessLog.Format;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.Networks;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.admin.AdminRules;
import io.millrace.proxy.configuration.Configuration.AccessLogSettings;
import io.millrace.proxy.configuration.Configuration.AdminSettings;
import io.millrace.proxy.configuration.Configuration.ForwardingRules;
import io.millrace.proxy.configuration.Configuration.RuntimeSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// How the proxy is watched, and what it runs on.
final class OperationKeys {
    private static final Choice<Format> FORMATS = Choice.of(Format.class);

    /// What becomes of fields that a client sent.
    private enum Policy {
        /// They are replaced by what we know ourselves.
        SET,
        /// What we know is put behind them.
        APPEND,
        /// Appended from trusted networks, set from elsewhere.
        TRUST
    }

    private static final Key<Policy> POLICY = Key.standard(
            "policy",
            Choice.of(Policy.class),
            Policy.SET,
            "What becomes of those that came: `set` replaces them, `append` puts ours behind them, `trust` appends for clients in"
                    + " `trusted` and sets for others.");
    private static final Key<List<Network>> TRUSTED =
            Key.optional("trusted", Listing.of(Words.NETWORK), "Whose fields are believed. Of `policy: trust`.");

    private static final Key<SocketAddress> ADDRESS = Key.required(
            "address",
            AddressTexts.OWN,
            "Where it listens: better on `127.0.0.1`, or on a Unix socket, than for everybody, which takes a `token`.");
    private static final Scalar<Dispatch> DISPATCH = Scalar.of(
            "a place for requests",
            "loop|virtual|pool:[1-9][0-9]{0,3}",
            "pool:16",
            OperationKeys::dispatch,
            OperationKeys::text);
    private static final Key<Path> HAND_OVER = Key.optional(
            "hand-over",
            Words.SOCKET,
            "A socket for hot restarts: a process that is started with the same one takes over what this one listens"
                    + " on, and this one ends when its requests have. In a folder that nobody else can write to.");

    static final Key<AdminSettings> ADMIN = Key.optional(
            "admin",
            KeyTable.of("admin", "A page that shows what is going on, and metrics.", AdminSettings.class)
                    .key(ADDRESS)
                    .optional(
                            "token",
                            Scalar.text("a token of " + AdminRules.TOKEN_WORDS, AdminRules.TOKEN_FORM, "${ADMIN_TOKEN}")
                                    .secret(),
                            "For what changes something, and for all of the page where other machines can reach it. Without"
                                    + " it the page is for reading.")
                    .keyOr(
                            "metrics",
                            Scalar.text("a path", "/[A-Za-z0-9/_.-]*", "/metrics")
                                    .checked(OperationKeys::checkFree),
                            AdminRules.STANDARD_METRICS,
                            "The path of the metrics for Prometheus.")
                    .checked(OperationKeys::checkToken)
                    .section(),
            "A page that shows what is going on, and metrics.");

    static final Key<RuntimeSettings> RUNTIME = Key.standard(
            "runtime",
            KeyTable.of(
                            "runtime",
                            "Threads and memory. Changes take effect with the next start.",
                            RuntimeSettings.STANDARD)
                    .optional(
                            "loops",
                            new WholeNumber(1, 1024, "event loops"),
                            "Event loops; by default one for each core.")
                    .key(
                            "transport",
                            Choice.of(TransportKind.class),
                            "The kernel interface; `auto` is the best that works here.")
                    .key(
                            "dispatch",
                            DISPATCH,
                            "Where requests are handled: on the `loop`, on `virtual` threads, or in a `pool:N` of N threads."
                                    + " Only for measurements it is not the loop.")
                    .key(
                            "pooled",
                            Words.FLAG,
                            "Whether memory for bytes under way is used again. Only for measurements it is not.")
                    .key(
                            "aggregate",
                            new Size(0, 64L << 20),
                            "Bodies of up to so many bytes are collected before they are passed on, and longer ones flow."
                                    + " Only for measurements it is more than 0.")
                    .key(HAND_OVER)
                    .checked(OperationKeys::checkHandOver)
                    .section(),
            RuntimeSettings.STANDARD,
            "Threads and memory.");

    static final Key<AccessLogSettings> ACCESS_LOG = Key.optional(
            "access-log",
            new TextOr<>(
                    formats(),
                    KeyTable.of("access log", "A line for each request.", AccessLogSettings.class)
                            .keyOr(
                                    "format",
                                    FORMATS,
                                    Format.COMBINED,
                                    "As Apache and nginx write lines, or an object of JSON on each.")
                            .optional(
                                    "file",
                                    Words.NEW_FILE,
                                    "Opened again on SIGUSR1. Relative to the folder of the configuration. By default the"
                                            + " standard output.")
                            .section()),
            "A line for each request: a format, or a mapping.");

    private static final KeyTable<Forwarding> RULES = KeyTable.of("", "", Forwarding.standard())
            .key(
                    "fields",
                    "forwardedHeaders",
                    new Listing<>(Choice.of(Forwarding.Fields.class), 0),
                    "Which tell the client's address: `X-Forwarded-For`, `-Host` and `-Proto`, or `Forwarded` (RFC 7239). Those"
                            + " that are not named here are taken away, so that no client can lie with them.")
            .begin(values -> Forwarding.standard().trusted(trusted(values)), POLICY, TRUSTED)
            .key(
                    "via",
                    Scalar.text("a name for Via", Words.FIELD.form(), "edge-1"),
                    "Our name in the Via field (RFC 9110 section 7.6.3). A request that says it more than 8 times goes in"
                            + " circles, and is answered with 508.")
            .key(
                    "tracing",
                    Choice.of(Forwarding.Tracing.class),
                    "What becomes of `traceparent` and `tracestate` (W3C Trace Context): `pass` passes on what is valid,"
                            + " `start` begins a trace where there is none, too, `off` takes them away.");

    static final Section<ForwardingRules> FORWARDING = KeyTable.of(
                    "forwarding",
                    "What a request that is passed on says of its way. Fields of one connection are always taken away, both"
                            + " ways (RFC 9110 section 7.6.1).",
                    ForwardingRules.STANDARD)
            .part("rules", RULES)
            .optional(
                    "connect",
                    Listing.of(Words.TARGET),
                    "Where CONNECT may lead, each `HOST:PORT`, or `*.DOMAIN:PORT` for all names below one, but not to"
                            + " addresses of this machine or its link. Without it CONNECT is refused.")
            .with(
                    new Rule.When<>(POLICY, Policy.TRUST, List.of(TRUSTED), List.of()),
                    new Rule.When<>(POLICY, Policy.SET, List.of(), List.of(TRUSTED)),
                    new Rule.When<>(POLICY, Policy.APPEND, List.of(), List.of(TRUSTED)))
            .section();

    private OperationKeys() {}

    private static Networks trusted(Values values) {
        return switch (values.of(POLICY)) {
            case SET -> Networks.NONE;
            case APPEND -> Networks.ALL;
            case TRUST -> Networks.of(values.optional(TRUSTED).orElse(List.of()));
        };
    }

    private static Dispatch dispatch(String text) {
        return switch (text) {
            case "loop" -> Dispatch.loop();
            case "virtual" -> Dispatch.virtual();
            default -> Dispatch.pool(Integer.parseInt(text.substring("pool:".length())));
        };
    }

    private static String text(Dispatch dispatch) {
        return switch (dispatch) {
            case Dispatch.OnLoop _ -> "loop";
            case Dispatch.OnVirtual _ -> "virtual";
            case Dispatch.OnPool(int threads) -> "pool:" + threads;
        };
    }

    private static void checkHandOver(Values values, RuntimeSettings runtime) {
        if (runtime.handOver().isEmpty() || runtime.transport() != TransportKind.NIO) return;
        throw values.refused(HAND_OVER, "the transport nio cannot hand over sockets: take auto, epoll or uring");
    }

    private static void checkFree(String path) {
        boolean isTaken = path.matches("/|/healthz|/ready|/api/.*|/[a-z]+\\.(css|js|svg)");
        if (isTaken) throw new IllegalArgumentException("the page itself is there: take another path");
    }

    private static void checkToken(Values values, AdminSettings admin) {
        if (admin.token().isPresent() || AdminRules.isLocal(admin.address())) return;
        throw values.refused(ADDRESS, AdminRules.OPEN_TO_ALL);
    }

    /// To the standard output.
    private static Choice<AccessLogSettings> formats() {
        var words = new LinkedHashMap<String, AccessLogSettings>();
        FORMATS.words().forEach((word, format) -> words.put(word, new AccessLogSettings(format, Optional.empty())));
        return new Choice<>(words);
    }
}
