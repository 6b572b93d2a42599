package io.millrace.http.exchange;

import io.millrace.http.Response;
import io.millrace.http.file.FileResponse;
import io.millrace.http.file.FileThreads;
import io.millrace.http.file.MediaTypes;
import io.millrace.http.file.Representation;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A response that comes later, from any thread.
final class DeferredResponse implements PendingResponse {
    private final ServerExchange exchange;
    private final CompletionStage<Response> stage;
    private final UnaryOperator<Response> change;
    private final Awaiting awaiting = new Awaiting(this);
    private boolean hasBegun;

    /// What the stage knows of it: nothing any more, once the response is not wanted. A stage may be shared, and
    /// complete long after its clients have left.
    private static final class Awaiting implements BiConsumer<@Nullable Response, @Nullable Throwable> {
        private final AtomicReference<@Nullable DeferredResponse> waiting;

        Awaiting(DeferredResponse waiting) {
            this.waiting = new AtomicReference<>(waiting);
        }

        @Override
        public void accept(@Nullable Response response, @Nullable Throwable failure) {
            var told = waiting.getAndSet(null);
            if (told != null) told.completed(response, failure);
            else if (response != null) BuiltResponse.from(response).discard();
        }
    }

    private record Outcome(
            @Nullable Response response, @Nullable Throwable failure) {}

    /// Guarded by this: the stage's result, until it is taken.
    private @Nullable Outcome outcome;

    /// Guarded by this: the response is no longer wanted.
    private boolean isClosed;

    DeferredResponse(ServerExchange exchange, Body.Later later) {
        this(exchange, later.stage(), later.change());
    }

    private DeferredResponse(ServerExchange exchange, CompletionStage<Response> stage, UnaryOperator<Response> change) {
        this.exchange = exchange;
        this.stage = stage;
        this.change = change;
    }

    /// A file is opened on a thread that may block.
    static DeferredResponse forFile(ServerExchange exchange, Body.File file) {
        var received = exchange.request();
        var request = BuiltRequest.withoutBody(received);
        var memory = FileResponse.memoryFor(received);
        var as = Representation.plain(MediaTypes.of(file.path().toString()));
        return new DeferredResponse(
                exchange, FileThreads.call(() -> FileResponse.of(file.path(), as, request, memory)), file.change());
    }

    void begin() {
        hasBegun = true;
        stage.whenComplete(awaiting);
    }

    /// In the call that brought the response, which code must not leave.
    @Override
    public void go() {
        begin();
        // Code that may wait for the body gets a call of its own, which follows.
        var found = exchange.calls().isBodyAwaitable() ? null : take();
        if (found != null) exchange.answerInstead(response(found));
    }

    @Override
    public boolean goOn() {
        if (!hasBegun) {
            go();
            return true;
        }
        var found = take();
        return found == null || exchange.calls().answerWith(() -> changed(found));
    }

    private synchronized @Nullable Outcome take() {
        var found = outcome;
        outcome = null;
        return found;
    }

    private Response response(Outcome found) {
        try {
            return changed(found);
        } catch (Exception e) {
            return exchange.failure(e);
        }
    }

    private Response changed(Outcome found) throws Exception {
        var response = found.response;
        if (response == null) throw new CompletionException(failure(found));
        try {
            return Objects.requireNonNull(change.apply(response), "a response was changed to null");
        } catch (RuntimeException e) {
            BuiltResponse.from(response).discard();
            throw e;
        }
    }

    private static Throwable failure(Outcome outcome) {
        var failure = outcome.failure;
        return failure != null ? failure : new IllegalStateException("the stage of a response completed with null");
    }

    /// On the thread that completes the stage.
    private void completed(@Nullable Response response, @Nullable Throwable failure) {
        synchronized (this) {
            if (!isClosed) outcome = new Outcome(response, failure);
            else if (response != null) BuiltResponse.from(response).discard();
        }
        exchange.stream().wake();
    }

    /// The peer is gone; the response's open resources must be closed.
    @Override
    public void breakOff() {
        awaiting.waiting.set(null);
        synchronized (this) {
            isClosed = true;
        }
        var found = take();
        if (found != null && found.response != null)
            BuiltResponse.from(found.response).discard();
    }
}
