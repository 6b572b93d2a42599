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

/// How much, how many, how long and how often: of clients, and of backends.
final class LimitKeys {
    private static final Size HEAD = new Size(16, 0xffff);
    private static final WholeNumber FIELDS = new WholeNumber(1, 10_000, "fields");
    private static final Scalar<Duration> CLIENT_TIME = Words.duration(Duration.ofMillis(100), Duration.ofDays(1));
    private static final Scalar<Duration> BACKEND_TIME = Words.duration(Duration.ofMillis(1), Duration.ofDays(1));

    private static final Key<Long> REQUEST_LINE = Key.standard(
            "request-line",
            HEAD,
            (long) HttpLimits.standard().requestLineBytes(),
            "Of a request line; then 414 (`http.request-line`).");

    private static final Key<Long> HEAD_LIMIT = Key.standard(
            "head",
            HEAD,
            (long) HttpLimits.standard().headBytes(),
            "Of a request line and its fields, or of trailers; then 431 (`http.head`).");

    private static final KeyTable<HttpLimits> REQUESTS = KeyTable.of("", "", HttpLimits.standard())
            .key(REQUEST_LINE)
            .key(HEAD_LIMIT)
            .key("fields", FIELDS, "Of a request; then 431 (`http.fields`).")
            .key(
                    "head-timeout",
                    CLIENT_TIME,
                    "From the first byte of a request to the end of its head (`http.timeout.head`).")
            .key("idle-timeout", CLIENT_TIME, "Without a request (`http.timeout.idle`).")
            .key(
                    "body-rate",
                    "bodyBytesPerSecond",
                    new WholeNumber(0, Integer.MAX_VALUE, "bytes a second"),
                    "The least at which a body arrives, on average over ten seconds; 0 for any (`http.body.rate`).")
            .key(
                    "connections-per-address",
                    new WholeNumber(0, Integer.MAX_VALUE, "connections"),
                    "At a time; 0 for any number (`http.connections-per-address`).")
            .checked((values, _) -> checkLine(values));

    /// Of a listener.
    static final Section<ClientLimits> CLIENTS = KeyTable.of(
                    "limits",
                    "What a listener of layer 7 takes from its clients; see [limits.md](limits.md).",
                    ClientLimits.STANDARD)
            .part("http", REQUESTS)
            .key("write-timeout", CLIENT_TIME, "While a client takes nothing of a response (`timeout.write`).")
            .section();

    /// What an upstream is asked to bear, and what is taken from it.
    ///
    /// @param responses heads of responses, and nothing else
    public record BackendLimits(UpstreamLimits upstream, HttpLimits responses) {
        static final BackendLimits STANDARD = new BackendLimits(UpstreamLimits.standard(), HttpLimits.standard());
    }

    private static final KeyTable<UpstreamLimits> BEARING = KeyTable.of("", "", UpstreamLimits.standard())
            .key("connections", count(1, "connections"), "To all backends (`upstream.connections`).")
            .key("connections-per-backend", count(1, "connections"), "To one backend (`backend.connections`).")
            .key(
                    "pending",
                    count(0, "requests"),
                    "Requests that wait for a connection to any backend (`upstream.pending`).")
            .key(
                    "pending-per-backend",
                    count(0, "requests"),
                    "Requests that wait for a connection to one backend (`backend.pending`).")
            .key("requests", count(1, "requests"), "In flight to all backends (`upstream.requests`).")
            .key("requests-per-backend", count(1, "requests"), "In flight to one backend (`backend.requests`).")
            .key(
                    "retry-percent",
                    new WholeNumber(0, 100, "percent"),
                    "How many requests in a hundred may be tried again (`upstream.retries`).")
            .key(
                    "retries-per-second",
                    count(0, "retries"),
                    "How many more, so that an upstream with few requests has retries, too.");

    private static final KeyTable<HttpLimits> RESPONSES = KeyTable.of("", "", HttpLimits.standard())
            .key(
                    "response-head",
                    "headBytes",
                    HEAD,
                    "Of a status line and its fields, or of trailers, and the line of a chunk; then 502 (`http.client.head`).")
            .key("response-fields", "fields", FIELDS, "Of a response; then 502 (`http.client.fields`).");

    /// Of an upstream.
    static final Section<BackendLimits> BACKENDS = KeyTable.of(
                    "upstream limits",
                    "What an upstream, and each of its backends, is asked to bear at a time: who comes beyond is answered with"
                            + " 503 at once. And how large the heads of its responses may be.",
                    BackendLimits.STANDARD)
            .part("upstream", BEARING)
            .part("responses", RESPONSES)
            .section();

    static final Section<TimeoutSettings> TIMEOUTS = KeyTable.of(
                    "timeouts", "How long a backend may take.", TimeoutSettings.STANDARD)
            .key("connect", BACKEND_TIME, "For the lookup of a name and the handshake together.")
            .key(
                    "pending",
                    BACKEND_TIME,
                    "For a connection, while as many as there may be are busy; then 503 with `Retry-After`.")
            .key(
                    "first-byte",
                    BACKEND_TIME,
                    "From the last byte of a request to the first byte of its response; then 504.")
            .key(
                    "idle",
                    BACKEND_TIME,
                    "While it is the backend's turn and nothing moves, either way: it takes nothing of a request's body, or"
                            + " sends nothing more of its response. Behind a change of protocol, and on layer 4, while"
                            + " nothing moves at all.")
            .key(
                    "keepalive",
                    BACKEND_TIME,
                    "How long a connection without a request is kept for the next one: less than the backend keeps it, or a"
                            + " request may meet a connection that is being closed.")
            .optional("request", BACKEND_TIME, "From a request to the end of its response, with all attempts.")
            .was("kept", "keepalive")
            .was("whole", "request")
            .section();

    static final Section<Retries> RETRIES = KeyTable.of(
                    "retries",
                    "When a request is given to another backend: one that is idempotent (RFC 9110 section 9.2.2), and any of"
                            + " which nothing was sent. Those in `limits` bound the retries of all requests together.",
                    Retries.STANDARD)
            .key(
                    "on",
                    new Listing<>(Choice.of(Retries.Condition.class), 0),
                    "What a backend did: it could not be reached, it closed before the first byte of a response, it did not"
                            + " begin to answer in time, or it answered so.")
            .key("attempts", new WholeNumber(1, 10, "attempts"), "The first one included; 1 for no retries.")
            .optional(
                    "per-try-timeout",
                    BACKEND_TIME,
                    "How long each attempt may take to begin a response, waiting and connecting included.")
            .key(
                    "buffer",
                    new Size(0, 64L << 20),
                    "Bodies up to so many bytes are kept for the next attempt. With a longer one, or with 0, a request that"
                            + " has begun to go is not tried again.")
            .was("per-try", "per-try-timeout")
            .section();

    private LimitKeys() {}

    private static WholeNumber count(long least, String unit) {
        return new WholeNumber(least, 10_000_000, unit);
    }

    /// Of the limits the smaller one would be taken.
    private static void checkLine(Values values) {
        if (values.of(REQUEST_LINE) <= values.of(HEAD_LIMIT)) return;
        throw values.refused(
                REQUEST_LINE, "it is a part of the head and may be longer than that: make it smaller, or head larger");
    }
}
