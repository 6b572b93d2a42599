package io.millrace.proxy.configuration.file;

import io.millrace.proxy.Retries;
import io.millrace.proxy.configuration.TimeoutSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Whole;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// How long one exchange with a backend may take, and how often it is tried.
final class ExchangeKeys {
    private static final TimeoutSettings STANDARD = TimeoutSettings.STANDARD;

    private static final Key<Duration> CONNECT =
            Key.standard("connect", time(), STANDARD.connect(), "For the lookup of a name and the handshake together.");
    private static final Key<Duration> PENDING = Key.standard(
            "pending",
            time(),
            STANDARD.pending(),
            "For a connection, while as many as there may be are busy; then 503 with `Retry-After`.");
    private static final Key<Duration> FIRST_BYTE = Key.standard(
            "first-byte",
            time(),
            STANDARD.firstByte(),
            "From the last byte of a request to the first byte of its response; then 504.");
    private static final Key<Duration> IDLE = Key.standard(
            "idle",
            time(),
            STANDARD.idle(),
            "While it is the backend's turn and nothing moves, either way: it takes nothing of a request's body, or sends"
                    + " nothing more of its response. Behind a change of protocol, and on layer 4, while nothing moves at all.");
    private static final Key<Duration> KEPT = Key.standard(
            "kept",
            time(),
            STANDARD.kept(),
            "How long a connection without a request is kept for the next one: less than the backend keeps it, or a request"
                    + " may meet a connection that is being closed.");
    private static final Key<Duration> WHOLE =
            Key.optional("whole", time(), "From a request to the end of its response, with all attempts.");

    static final Section<TimeoutSettings> TIMEOUTS = Section.of(
            "timeouts",
            "How long a backend may take.",
            values -> new TimeoutSettings(
                    values.of(CONNECT),
                    values.of(PENDING),
                    values.of(FIRST_BYTE),
                    values.of(IDLE),
                    values.of(KEPT),
                    values.optional(WHOLE).orElse(STANDARD.whole())),
            CONNECT,
            PENDING,
            FIRST_BYTE,
            IDLE,
            KEPT,
            WHOLE);

    private static final Key<List<Retries.Condition>> ON = Key.standard(
            "on",
            new Listing<>(Choice.of(Retries.Condition.class), 0),
            Retries.STANDARD.on().stream().sorted().toList(),
            "What a backend did: it could not be reached, it closed before the first byte of a response, it did not begin to"
                    + " answer in time, or it answered so.");
    private static final Key<Long> ATTEMPTS = Key.standard(
            "attempts",
            new Whole(1, 10, "attempts"),
            (long) Retries.STANDARD.attempts(),
            "The first one included; 1 for no retries.");
    private static final Key<Duration> PER_TRY = Key.optional(
            "per-try", time(), "How long each attempt may take to begin a response, waiting and connecting included.");
    private static final Key<Long> BUFFER = Key.standard(
            "buffer",
            new Size(0, 64L << 20),
            Retries.STANDARD.bufferBytes(),
            "Bodies up to so many bytes are kept for the next attempt. With a longer one, or with 0, a request that has begun to"
                    + " go is not tried again.");

    static final Section<Retries> RETRIES = Section.of(
            "retries",
            "When a request is given to another backend: one that is idempotent (RFC 9110 section 9.2.2), and any of which"
                    + " nothing was sent. Those in `limits` bound the retries of all requests together.",
            values -> new Retries(
                    Set.copyOf(values.of(ON)),
                    values.of(ATTEMPTS).intValue(),
                    values.optional(PER_TRY).orElse(Duration.ZERO),
                    values.of(BUFFER)),
            ON,
            ATTEMPTS,
            PER_TRY,
            BUFFER);

    private ExchangeKeys() {}

    private static Scalar<Duration> time() {
        return Words.duration(Duration.ofMillis(1), Duration.ofDays(1));
    }
}
