package io.millrace.proxy.configuration.file;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.Networks;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.admin.AdminRules;
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
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;

/// How the proxy is observed, and what it runs on.
final class OperationKeys {
    /// What to do with fields that a client sent.
    private enum Policy {
        /// Ours replace them.
        SET,
        /// Ours follow them.
        APPEND,
        /// Appended from trusted networks, set from elsewhere.
        TRUST
    }

    private static final Key<Policy> POLICY = Key.standard(
            "policy",
            Choice.of(Policy.class),
            Policy.SET,
            "What to do with those that a client sent: `set` replaces them, `append` adds ours at the end,"
                    + " `trust` appends for clients in `trusted` and sets for others.");
    private static final Key<List<Network>> TRUSTED = Key.optional(
            "trusted", Listing.of(Words.NETWORK), "Clients whose fields are believed. With `policy: trust`.");

    private static final Key<SocketAddress> ADDRESS = Key.required(
            "address",
            AddressTexts.OWN,
            "Where it listens: best on `127.0.0.1` or a Unix socket. Other addresses require a `token`.");
    private static final Scalar<Dispatch> DISPATCH = Scalar.of(
            "a place for requests",
            "loop|virtual|pool:[1-9][0-9]{0,3}",
            "pool:16",
            OperationKeys::dispatch,
            OperationKeys::text);
    private static final Key<Path> HAND_OVER = Key.optional(
            "hand-over",
            Words.SOCKET,
            "A Unix socket for hot restarts: a process started with the same one takes over the listening sockets"
                    + " of the running one, which ends after its last request. Put it in a folder that only"
                    + " the proxy's user can write to.");

    static final Key<AdminSettings> ADMIN = Key.optional(
            "admin",
            KeyTable.of("admin", "A page that shows what the proxy does, and metrics.", AdminSettings.class)
                    .key(ADDRESS)
                    .optional(
                            "token",
                            Scalar.text("a token of " + AdminRules.TOKEN_WORDS, AdminRules.TOKEN_FORM, "${ADMIN_TOKEN}")
                                    .secret(),
                            "Required for changes, and for the whole page if other machines can reach it. Without"
                                    + " it the page is read-only.")
                    .keyOr(
                            "metrics",
                            Scalar.text("a path", "/[A-Za-z0-9/_.-]*", "/metrics")
                                    .checked(OperationKeys::checkFree),
                            AdminRules.STANDARD_METRICS,
                            "The path of the Prometheus metrics.")
                    .checked(OperationKeys::checkToken)
                    .section(),
            "A page that shows what the proxy does, and metrics.");

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
                            "The kernel interface; `auto` is the best one that works on this machine.")
                    .key(
                            "dispatch",
                            DISPATCH,
                            "Where requests are handled: on the `loop`, on `virtual` threads, or in a `pool:N` of"
                                    + " N threads. Other values than `loop` are for measurements.")
                    .key("pooled", Words.FLAG, "Whether buffers are reused. `false` is for measurements.")
                    .key(
                            "aggregate",
                            new Size(0, 64L << 20),
                            "Bodies of up to this size are collected before they are forwarded; longer ones are"
                                    + " streamed. Other values than 0 are for measurements.")
                    .key(HAND_OVER)
                    .checked(OperationKeys::checkHandOver)
                    .section(),
            RuntimeSettings.STANDARD,
            "Threads and memory.");

    private static final KeyTable<Forwarding> RULES = KeyTable.of("", "", Forwarding.standard())
            .key(
                    "fields",
                    "forwardedHeaders",
                    new Listing<>(Choice.of(Forwarding.Fields.class), 0),
                    "Fields with the client's address: `X-Forwarded-For`, `-Host` and `-Proto`, or `Forwarded`"
                            + " (RFC 7239). Those not named here are removed, so that clients cannot forge"
                            + " them.")
            .begin(values -> Forwarding.standard().trusted(trusted(values)), POLICY, TRUSTED)
            .key(
                    "via",
                    Scalar.text("a name for Via", Words.FIELD.form(), "edge-1"),
                    "The proxy's name in the Via field (RFC 9110 section 7.6.3). A request that has it more than"
                            + " 8 times is in a loop and gets 508.")
            .key(
                    "tracing",
                    Choice.of(Forwarding.Tracing.class),
                    "What to do with `traceparent` and `tracestate` (W3C Trace Context): `pass` forwards valid"
                            + " ones, `start` also begins a trace where there is none, `off` removes them.");

    static final Section<ForwardingRules> FORWARDING = KeyTable.of(
                    "forwarding",
                    "What a forwarded request says about its way here. Hop-by-hop fields are always removed, in"
                            + " both directions (RFC 9110 section 7.6.1).",
                    ForwardingRules.STANDARD)
            .part("rules", RULES)
            .optional(
                    "connect",
                    Listing.of(Words.TARGET),
                    "Where CONNECT may lead: `HOST:PORT`, or `*.DOMAIN:PORT` for all names below a domain, though"
                            + " never to addresses of this machine or its link. Without it CONNECT is"
                            + " refused.")
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
        throw values.refused(HAND_OVER, "the transport nio cannot hand over sockets: use auto, epoll or uring");
    }

    private static void checkFree(String path) {
        boolean isTaken = path.matches("/|/healthz|/ready|/api/.*|/[a-z]+\\.(css|js|svg)");
        if (isTaken) throw new IllegalArgumentException("the admin page uses this path: take another one");
    }

    private static void checkToken(Values values, AdminSettings admin) {
        if (admin.token().isPresent() || AdminRules.isLocal(admin.address())) return;
        throw values.refused(ADDRESS, AdminRules.OPEN_TO_ALL);
    }
}
