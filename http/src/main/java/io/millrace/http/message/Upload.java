package io.millrace.http.message;

import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.grammar.TrailerFields;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// The body of a request that user code writes as the server takes it, once: written bytes are not kept, and
/// cannot be sent again. Copies with another length or trailers are the same body.
///
/// ```
///   NEW ── a client takes it ──► BEGUN ── complete, or not wanted ──► CLOSED
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

    /// Any thread; shared by all copies.
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

    /// A body from elsewhere; a length in bytes or [Body#UNKNOWN].
    public static Upload of(SuspendableWriter writer, long length) {
        return new Upload(writer, length, writer::trailers, new AtomicReference<>(State.NEW));
    }

    /// With a length in bytes.
    ///
    /// @throws IllegalArgumentException for a negative length
    Upload length(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a length of " + bytes + ": take 0 or more");
        return new Upload(writer, bytes, trailers, state);
    }

    /// With trailers.
    Upload trailers(Supplier<Headers> atEnd) {
        return new Upload(writer, Body.UNKNOWN, atEnd, state);
    }

    /// In bytes, or [Body#UNKNOWN].
    public long length() {
        return length;
    }

    /// A client begins to send it.
    ///
    /// @throws IllegalStateException the second time
    public void begin() {
        if (state.compareAndSet(State.NEW, State.BEGUN)) return;
        throw new IllegalStateException("the body of this request was sent already: make a new request");
    }

    public BodyWriter writer() {
        return writer;
    }

    /// The trailers; the body has ended.
    ///
    /// @throws IllegalArgumentException for fields that must not be trailers
    public Headers trailers() {
        var fields = Objects.requireNonNull(trailers.get(), "the trailers of a request were null");
        fields.forEach((name, _) -> {
            if (!TrailerFields.isAllowed(name)) {
                throw new IllegalArgumentException("the field " + name + " must not be a trailer: use setHeader(…)");
            }
        });
        return fields;
    }

    /// May be called several times; the writer is called once.
    public void onClose() {
        if (state.getAndSet(State.CLOSED) == State.BEGUN) writer.onClose();
    }
}
