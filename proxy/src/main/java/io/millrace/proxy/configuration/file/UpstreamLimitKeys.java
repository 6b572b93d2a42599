package io.millrace.proxy.configuration.file;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.Whole;

/// What an upstream is asked to bear, and what is taken from it; the standards are those of [UpstreamLimits] and
/// [HttpLimits].
final class UpstreamLimitKeys {
    private static final UpstreamLimits STANDARD = UpstreamLimits.standard();
    private static final HttpLimits RESPONSES = HttpLimits.standard();

    /// @param responses heads of responses, and nothing else
    record Limits(UpstreamLimits upstream, HttpLimits responses) {
        static final Limits STANDARD = new Limits(UpstreamLimitKeys.STANDARD, RESPONSES);
    }

    private static final Key<Long> CONNECTIONS =
            count("connections", "connections", 1, STANDARD.connections(), "To all backends (`upstream.connections`).");
    private static final Key<Long> BACKEND_CONNECTIONS = count(
            "connections-per-backend",
            "connections",
            1,
            STANDARD.connectionsPerBackend(),
            "To one backend (`backend.connections`).");
    private static final Key<Long> PENDING = count(
            "pending",
            "requests",
            0,
            STANDARD.pending(),
            "Requests that wait for a connection to any backend (`upstream.pending`).");
    private static final Key<Long> BACKEND_PENDING = count(
            "pending-per-backend",
            "requests",
            0,
            STANDARD.pendingPerBackend(),
            "Requests that wait for a connection to one backend (`backend.pending`).");
    private static final Key<Long> REQUESTS =
            count("requests", "requests", 1, STANDARD.requests(), "In flight to all backends (`upstream.requests`).");
    private static final Key<Long> BACKEND_REQUESTS = count(
            "requests-per-backend",
            "requests",
            1,
            STANDARD.requestsPerBackend(),
            "In flight to one backend (`backend.requests`).");
    private static final Key<Long> RETRY_PERCENT = Key.standard(
            "retry-percent",
            new Whole(0, 100, "percent"),
            (long) STANDARD.retryPercent(),
            "How many requests in a hundred may be tried again (`upstream.retries`).");
    private static final Key<Long> RETRIES_PER_SECOND = count(
            "retries-per-second",
            "retries",
            0,
            STANDARD.retriesPerSecond(),
            "How many more, so that an upstream with few requests has retries, too.");

    private static final Key<Long> RESPONSE_HEAD = Key.standard(
            "response-head",
            new Size(16, 0xffff),
            (long) RESPONSES.headBytes(),
            "Of a status line and its fields, or of trailers, and the line of a chunk; then 502 (`http.client.head`).");
    private static final Key<Long> RESPONSE_FIELDS = Key.standard(
            "response-fields",
            new Whole(1, 10_000, "fields"),
            (long) RESPONSES.fields(),
            "Of a response; then 502 (`http.client.fields`).");

    static final Section<Limits> SECTION = Section.of(
            "upstream limits",
            "What an upstream, and each of its backends, is asked to bear at a time: who comes beyond is answered with 503 at"
                    + " once. And how large the heads of its responses may be.",
            UpstreamLimitKeys::limits,
            CONNECTIONS,
            BACKEND_CONNECTIONS,
            PENDING,
            BACKEND_PENDING,
            REQUESTS,
            BACKEND_REQUESTS,
            RETRY_PERCENT,
            RETRIES_PER_SECOND,
            RESPONSE_HEAD,
            RESPONSE_FIELDS);

    private UpstreamLimitKeys() {}

    private static Key<Long> count(String name, String unit, long least, long standard, String says) {
        return Key.standard(name, new Whole(least, 10_000_000, unit), standard, says);
    }

    private static Limits limits(Values values) {
        var responses = RESPONSES
                .headBytes(values.of(RESPONSE_HEAD).intValue())
                .fields(values.of(RESPONSE_FIELDS).intValue());
        return new Limits(upstream(values), responses);
    }

    private static UpstreamLimits upstream(Values values) {
        return STANDARD.connections(values.of(CONNECTIONS).intValue())
                .connectionsPerBackend(values.of(BACKEND_CONNECTIONS).intValue())
                .pending(values.of(PENDING).intValue())
                .pendingPerBackend(values.of(BACKEND_PENDING).intValue())
                .requests(values.of(REQUESTS).intValue())
                .requestsPerBackend(values.of(BACKEND_REQUESTS).intValue())
                .retryPercent(values.of(RETRY_PERCENT).intValue())
                .retriesPerSecond(values.of(RETRIES_PER_SECOND).intValue());
    }
}
