package io.millrace.proxy.configuration.file;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.Retries;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.configuration.ListenerSettings.ClientLimits;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.time.Duration;

/// Sizes, numbers, times and rates, for clients and for backends.
final class LimitKeys {
    private static final Size HEAD = new Size(16, 0xffff);
    private static final WholeNumber FIELDS = new WholeNumber(1, 10_000, "fields");
    private static final Scalar<Duration> CLIENT_TIME = Words.duration(Duration.ofMillis(100), Duration.ofDays(1));
    private static final Scalar<Duration> BACKEND_TIME = Words.duration(Duration.ofMillis(1), Duration.ofDays(1));

    private static final Key<Long> REQUEST_LINE = Key.standard(
            "request-line",
            HEAD,
            (long) HttpLimits.standard().requestLineBytes(),
            "The longest request line; beyond it 414 (`http.request-line`).");

    private static final Key<Long> HEAD_LIMIT = Key.standard(
            "head",
            HEAD,
            (long) HttpLimits.standard().headBytes(),
            "The longest request line with its fields, or the longest trailers; beyond it 431 (`http.head`).");

    private static final KeyTable<HttpLimits> REQUESTS = KeyTable.of("", "", HttpLimits.standard())
            .key(REQUEST_LINE)
            .key(HEAD_LIMIT)
            .key("fields", FIELDS, "The most fields of a request; beyond it 431 (`http.fields`).")
            .key(
                    "head-timeout",
                    CLIENT_TIME,
                    "The time from the first byte of a request to the end of its head (`http.timeout.head`).")
            .key("idle-timeout", CLIENT_TIME, "How long a connection may be without a request (`http.timeout.idle`).")
            .key(
                    "body-rate",
                    "bodyBytesPerSecond",
                    new WholeNumber(0, Integer.MAX_VALUE, "bytes a second"),
                    "The lowest rate at which a body may arrive, on average over ten seconds; 0 for any"
                            + " (`http.body.rate`).")
            .key(
                    "connections-per-address",
                    new WholeNumber(0, Integer.MAX_VALUE, "connections"),
                    "Connections of one address at a time; 0 for any number (`http.connections-per-address`).")
            .checked((values, _) -> checkLine(values));

    /// The limits of a listener.
    static final Section<ClientLimits> CLIENTS = KeyTable.of(
                    "limits",
                    "What a layer 7 listener accepts from its clients; see [limits.md](limits.md).",
                    ClientLimits.STANDARD)
            .part("http", REQUESTS)
            .key("write-timeout", CLIENT_TIME, "How long a client may take nothing of a response (`timeout.write`).")
            .section();

    /// What is sent to an upstream, and what is accepted from it.
    ///
    /// @param responses only the limits of response heads
    public record BackendLimits(UpstreamLimits upstream, HttpLimits responses) {
        static final BackendLimits STANDARD = new BackendLimits(UpstreamLimits.standard(), HttpLimits.standard());
    }

    private static final KeyTable<UpstreamLimits> BEARING = KeyTable.of("", "", UpstreamLimits.standard())
            .key("connections", count(1, "connections"), "Connections to all backends (`upstream.connections`).")
            .key(
                    "connections-per-backend",
                    count(1, "connections"),
                    "Connections to one backend (`backend.connections`).")
            .key(
                    "pending",
                    count(0, "requests"),
                    "Requests that wait for a connection to any backend (`upstream.pending`).")
            .key(
                    "pending-per-backend",
                    count(0, "requests"),
                    "Requests that wait for a connection to one backend (`backend.pending`).")
            .key("requests", count(1, "requests"), "Requests in flight to all backends (`upstream.requests`).")
            .key(
                    "requests-per-backend",
                    count(1, "requests"),
                    "Requests in flight to one backend (`backend.requests`).")
            .key(
                    "retry-percent",
                    new WholeNumber(0, 100, "percent"),
                    "How many requests in a hundred may be retried (`upstream.retries`).")
            .key(
                    "retries-per-second",
                    count(0, "retries"),
                    "How many more retries a second, for upstreams with few requests.");

    private static final KeyTable<HttpLimits> RESPONSES = KeyTable.of("", "", HttpLimits.standard())
            .key(
                    "response-head",
                    "headBytes",
                    HEAD,
                    "The longest status line with its fields, trailers, or chunk line; beyond it 502"
                            + " (`http.client.head`).")
            .key(
                    "response-fields",
                    "fields",
                    FIELDS,
                    "The most fields of a response; beyond it 502 (`http.client.fields`).");

    /// The limits of an upstream.
    static final Section<BackendLimits> BACKENDS = KeyTable.of(
                    "upstream limits",
                    "How much goes to an upstream, and to each of its backends, at a time: requests beyond that"
                            + " get 503 at once. And how large response heads may be.",
                    BackendLimits.STANDARD)
            .part("upstream", BEARING)
            .part("responses", RESPONSES)
            .section();

    static final Section<TimeoutSettings> TIMEOUTS = KeyTable.of(
                    "timeouts", "How long a backend may take.", TimeoutSettings.STANDARD)
            .key("connect", BACKEND_TIME, "How long the name lookup and the handshake may take together.")
            .key(
                    "pending",
                    BACKEND_TIME,
                    "How long a request may wait for a connection while all are busy; then 503 with `Retry-After`.")
            .key(
                    "first-byte",
                    BACKEND_TIME,
                    "The time from the last byte of a request to the first byte of its response; then 504.")
            .key(
                    "idle",
                    BACKEND_TIME,
                    "How long a backend may stall: take nothing of a request's body, or send no more of its"
                            + " response. On layer 4: how long nothing may move in either direction.")
            .key(
                    "websocket-idle",
                    "webSocketIdle",
                    BACKEND_TIME,
                    "How long nothing may come on a WebSocket from either side, not even a ping; then the client"
                            + " gets a close frame with 1001.")
            .key(
                    "keepalive",
                    BACKEND_TIME,
                    "How long an idle connection is kept for the next request. Keep it shorter than the backend's"
                            + " own time, or a request may meet a connection that is being closed.")
            .optional("request", BACKEND_TIME, "The time from a request to the end of its response, with all attempts.")
            .was("kept", "keepalive")
            .was("whole", "request")
            .section();

    static final Section<Retries> RETRIES = KeyTable.of(
                    "retries",
                    "When a request is sent to another backend: if it is idempotent (RFC 9110 section 9.2.2), or"
                            + " if nothing of it was sent, or the backend has said that it did not process it; and"
                            + " calls of gRPC by their own conditions. `limits` bounds the retries of all requests"
                            + " together.",
                    Retries.STANDARD)
            .key(
                    "on",
                    new Listing<>(Choice.of(Retries.Condition.class), 0),
                    "The failures that cause a retry: the backend could not be reached, closed before the first"
                            + " byte of a response, did not begin its response in time, or responded with"
                            + " this status. With HTTP/2 also this status of a call of gRPC that ended without a"
                            + " part of an answer: `cancelled`, `deadline-exceeded`, `internal`,"
                            + " `resource-exhausted` or `unavailable`.")
            .key(
                    "attempts",
                    new WholeNumber(1, 10, "attempts"),
                    "The most attempts, the first one included; 1 for no retries.")
            .optional(
                    "per-try-timeout",
                    BACKEND_TIME,
                    "How long each attempt may take to begin a response, waiting and connecting included.")
            .key(
                    "buffer",
                    new Size(0, 64L << 20),
                    "Of bodies of up to this size a copy is kept for the next attempt. With a longer one, or with 0, a"
                            + " request that was partly sent is not retried.")
            .was("per-try", "per-try-timeout")
            .section();

    private LimitKeys() {}

    private static WholeNumber count(long least, String unit) {
        return new WholeNumber(least, 10_000_000, unit);
    }

    /// The smaller of the two limits would apply.
    private static void checkLine(Values values) {
        if (values.of(REQUEST_LINE) <= values.of(HEAD_LIMIT)) return;
        throw values.refused(
                REQUEST_LINE, "it is more than head, which includes the request line: make it smaller, or head larger");
    }
}
