package io.millrace.http.message;

import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.grammar.TrailerFields;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// The body of a request that user code writes as the server takes it, once: what was written is nowhere, and
/// cannot be sent again. Copies with other words about it are the same body.
///
/// ```
///   NEW ── a client takes it ──► BEGUN ── complete, or nobody takes more ──► CLOSED
/// ```
public final class Upload {
    private enum State {
        NEW,
        BEGUN,
        CLOSED
    }

    private final BodyWriter writer;
    private final long length;
    private final Supplier<Headers> trailers;

    /// Any thread, of all copies.
    private final AtomicReference<State> state;

    private Upload(BodyWriter writer, long length, Supplier<Headers> trailers, AtomicReference<State> state) {
        this.writer = writer;
        this.length = length;
        this.trailers = trailers;
        this.state = state;
    }

    /// In chunks, without trailers.
    public static Upload of(BodyWriter writer) {
        return new Upload(writer, Body.UNKNOWN, () -> Headers.EMPTY, new AtomicReference<>(State.NEW));
    }

    /// One that comes from elsewhere; a length in bytes or [Body#UNKNOWN].
    public static Upload of(SuspendableWriter writer, long length) {
        return new Upload(writer, length, writer::trailers, new AtomicReference<>(State.NEW));
    }

    /// With a length in bytes.
    ///
    /// @throws IllegalArgumentException for one that is none
    Upload length(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a length of " + bytes + ": take 0 or more");
        return new Upload(writer, bytes, trailers, state);
    }

    /// With fields behind it.
    Upload trailers(Supplier<Headers> atEnd) {
        return new Upload(writer, Body.UNKNOWN, atEnd, state);
    }

    /// In bytes, or [Body#UNKNOWN].
    public long length() {
        return length;
    }

    /// A client sends it.
    ///
    /// @throws IllegalStateException when that is not the first time
    public void begin() {
        if (state.compareAndSet(State.NEW, State.BEGUN)) return;
        throw new IllegalStateException("the body of this request was sent, which works once: make a new request");
    }

    public BodyWriter writer() {
        return writer;
    }

    /// The fields behind it; its end is written.
    ///
    /// @throws IllegalArgumentException for those that may not stand there
    public Headers trailers() {
        var fields = Objects.requireNonNull(trailers.get(), "the trailers of a request were null");
        fields.forEach((name, _) -> {
            if (!TrailerFields.isAllowed(name)) {
                throw new IllegalArgumentException(
                        "the field " + name + " may not be a trailer: say it with setHeader(…)");
            }
        });
        return fields;
    }

    /// As often as one likes; the writer hears of it once.
    public void onClose() {
        if (state.getAndSet(State.CLOSED) == State.BEGUN) writer.onClose();
    }
}
