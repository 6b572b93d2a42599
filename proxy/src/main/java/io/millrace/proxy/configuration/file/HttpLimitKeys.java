package io.millrace.proxy.configuration.file;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.configuration.ClientLimits;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.Whole;
import java.time.Duration;

/// What a listener of layer 7 takes from its clients; the standards are those of [HttpLimits].
final class HttpLimitKeys {
    private static final HttpLimits STANDARD = HttpLimits.standard();
    private static final Size HEAD_SIZE = new Size(16, 0xffff);

    private static final Key<Long> REQUEST_LINE = Key.standard(
            "request-line",
            HEAD_SIZE,
            (long) STANDARD.requestLineBytes(),
            "Of a request line; then 414 (`http.request-line`).");
    private static final Key<Long> HEAD = Key.standard(
            "head",
            HEAD_SIZE,
            (long) STANDARD.headBytes(),
            "Of a request line and its fields, or of trailers; then 431 (`http.head`).");
    private static final Key<Long> FIELDS = Key.standard(
            "fields",
            new Whole(1, 10_000, "fields"),
            (long) STANDARD.fields(),
            "Of a request; then 431 (`http.fields`).");
    private static final Key<Duration> HEAD_TIMEOUT = Key.standard(
            "head-timeout",
            timeout(),
            STANDARD.headTimeout(),
            "From the first byte of a request to the end of its head (`http.timeout.head`).");
    private static final Key<Duration> IDLE_TIMEOUT =
            Key.standard("idle-timeout", timeout(), STANDARD.idleTimeout(), "Without a request (`http.timeout.idle`).");
    private static final Key<Duration> WRITE_TIMEOUT = Key.standard(
            "write-timeout",
            timeout(),
            ClientLimits.STANDARD.writeTimeout(),
            "While a client takes nothing of a response (`timeout.write`).");
    private static final Key<Long> BODY_RATE = Key.standard(
            "body-rate",
            new Whole(0, Integer.MAX_VALUE, "bytes a second"),
            (long) STANDARD.bodyBytesPerSecond(),
            "The least at which a body arrives, on average over ten seconds; 0 for any (`http.body.rate`).");
    private static final Key<Long> PER_ADDRESS = Key.standard(
            "connections-per-address",
            new Whole(0, Integer.MAX_VALUE, "connections"),
            (long) STANDARD.connectionsPerAddress(),
            "At a time; 0 for any number (`http.connections-per-address`).");

    static final Section<ClientLimits> SECTION = Section.of(
            "limits",
            "What a listener of layer 7 takes from its clients; see [limits.md](limits.md).",
            HttpLimitKeys::limits,
            REQUEST_LINE,
            HEAD,
            FIELDS,
            HEAD_TIMEOUT,
            IDLE_TIMEOUT,
            WRITE_TIMEOUT,
            BODY_RATE,
            PER_ADDRESS);

    private HttpLimitKeys() {}

    private static io.millrace.proxy.configuration.shape.Scalar<Duration> timeout() {
        return Words.duration(Duration.ofMillis(100), Duration.ofDays(1));
    }

    private static ClientLimits limits(Values values) {
        if (values.of(REQUEST_LINE) > values.of(HEAD)) {
            throw values.refused(
                    REQUEST_LINE,
                    "it is a part of the head and may be longer than that: make it smaller, or head larger");
        }
        var http = STANDARD.headBytes(values.of(HEAD).intValue())
                .requestLineBytes(values.of(REQUEST_LINE).intValue())
                .fields(values.of(FIELDS).intValue())
                .headTimeout(values.of(HEAD_TIMEOUT))
                .idleTimeout(values.of(IDLE_TIMEOUT))
                .bodyBytesPerSecond(values.of(BODY_RATE).intValue())
                .connectionsPerAddress(values.of(PER_ADDRESS).intValue());
        return new ClientLimits(http, values.of(WRITE_TIMEOUT));
    }
}
