package io.millrace.http.pool;

import io.millrace.http.ClientFilter;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Callbacks;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Failures;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A call that goes through filters, which may send several requests: one at a time is the current one, and
/// the response whose head they return is the answer.
///
/// ```
///   begin ─► filters ─► Exchanged ─► head ─► filters ─► head ─► answered ─► the reader gets head and body
///               ▲                               │
///               └────── once more, or elsewhere ┘             given up, expired, failed ─► the reader aborts
/// ```
/// Filters run on any thread, so shared state is guarded by this. The reader is called on one loop, the
/// answer's, and only after the choice, except for interim responses.
public final class FilteredCall<T> extends ClientCall<T> {
    private final ClientPools pools;
    private final List<ClientFilter> filters;
    private final BuiltRequest request;
    private final Destination destination;
    private final ResponseReader<T> reader;
    private final long wholeNanos;
    private final LoopPools home;

    /// What filters wait for, of any thread.
    private final Map<Loop.Timer, CompletableFuture<Void>> delays = new ConcurrentHashMap<>();

    private volatile Loop.@Nullable Timer timer;

    // Guarded by this.

    private @Nullable Exchanged<T> current;

    /// The filters have finished: nothing more is sent.
    private boolean isDecided;

    private boolean isOver;

    /// The reader has been told of the end.
    private boolean wasTold;

    /// @param wholeNanos until the response is complete; 0 means no limit
    FilteredCall(
            ClientPools pools,
            List<ClientFilter> filters,
            BuiltRequest request,
            Destination destination,
            ResponseReader<T> reader,
            long wholeNanos) {
        this.pools = pools;
        this.filters = filters;
        this.request = request;
        this.destination = destination;
        this.reader = reader;
        this.wholeNanos = wholeNanos;
        this.home = pools.choose(destination);
    }

    @Override
    public CompletableFuture<T> begin() {
        pools.began(this);
        // Also a call without a limit has to hear of the end of its loop, wherever its filters have it wait.
        var limit = Duration.ofNanos(wholeNanos > 0 ? wholeNanos : Long.MAX_VALUE);
        timer = home.loop().after(limit, this::expired, this::loopEnded);
        // A client that closes meanwhile has found no timer.
        if (isOver()) {
            timer.cancel();
        } else {
            var _ = new Step(0).send(request).whenComplete(this::decided);
        }
        return result;
    }

    /// The loop of a request, or that of its filters; any thread.
    void loopEnded() {
        fail(new Reset("the event loops of this client are closed"));
    }

    /// What is behind a filter.
    private final class Step implements ClientFilter.Rest {
        private final int place;

        /// @param place index of the next filter
        Step(int place) {
            this.place = place;
        }

        @Override
        public CompletionStage<Response> send(Request asked) {
            if (place == filters.size()) return sendOne(asked);
            var filter = filters.get(place);
            try {
                CompletionStage<Response> answered = filter.send(asked, new Step(place + 1));
                return Objects.requireNonNull(answered, () -> filter + " answered " + asked + " with null for a stage");
            } catch (Exception e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public CompletionStage<Void> delay(Duration time) {
            var passed = new CompletableFuture<Void>();
            var running = home.loop().after(time, () -> passed.complete(null), FilteredCall.this::loopEnded);
            delays.put(running, passed);
            var _ = passed.whenComplete((_, _) -> delays.remove(running));
            if (isOver()) endDelays();
            return passed;
        }

        @Override
        public void leave() {
            var before = forget();
            if (before != null) before.leave();
        }
    }

    private synchronized @Nullable Exchanged<T> forget() {
        if (isDecided) return null;
        var before = current;
        current = null;
        return before;
    }

    private void endDelays() {
        delays.forEach((running, delay) -> {
            running.cancel();
            home.onLoop(() -> delay.completeExceptionally(tooLate()));
        });
    }

    /// What filters hear that go on when the call is over.
    CancellationException tooLate() {
        return new CancellationException(this + " is over");
    }

    private CompletionStage<Response> sendOne(Request asked) {
        Exchanged<T> next;
        try {
            if (mayNotSend()) throw new IllegalStateException("nothing more is sent: " + request + " is over");
            next = new Exchanged<>(this, pools, ofThisCall(asked));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        Exchanged<T> before;
        boolean isTooLate;
        synchronized (this) {
            isTooLate = mayNotSend();
            before = current;
            if (!isTooLate) current = next;
        }
        if (isTooLate) next.giveUp();
        else if (before != null) before.leave();
        return next.begin();
    }

    private synchronized boolean mayNotSend() {
        return isDecided || isOver;
    }

    /// The call's time is counted here; a single request has a time of its own only if a filter sets one.
    private BuiltRequest ofThisCall(Request asked) {
        var built = BuiltRequest.copyOf(asked);
        return built.timeLimit().equals(request.timeLimit()) ? built.within(Duration.ZERO) : built;
    }

    // The end of the filters.

    private void decided(@Nullable Response response, @Nullable Throwable failure) {
        if (response == null) {
            fail(
                    failure == null
                            ? new IllegalStateException("a filter answered with no response")
                            : Failures.bare(failure));
            return;
        }
        var built = BuiltResponse.from(response);
        switch (built.content()) {
            case Body.Pushed arriving when arriving.open() instanceof ArrivingBody -> answered(built, arriving.open());
            case Body.Whole _ -> made(built);
            default ->
                fail(new IllegalStateException("a filter answered " + request
                        + " with a body that is streamed or comes later: make it from a text or from Bytes"));
        }
    }

    private void answered(Response head, Object body) {
        var chosen = decide();
        if (chosen != null && chosen.isOf(body)) chosen.choose(head);
        else
            fail(new IllegalStateException("a filter answered with a response that it has left, or sent another request"
                    + " behind, so that its body is gone: answer with the last one"));
    }

    private synchronized @Nullable Exchanged<T> decide() {
        isDecided = true;
        return current;
    }

    /// Made by a filter.
    private void made(Response whole) {
        var unwanted = decide();
        if (unwanted != null) unwanted.leave();
        if (!execute(() -> tell(whole))) fail(givenUp());
    }

    private void tell(Response whole) {
        if (!isFirstToTell()) return;
        HttpSender filter = _ -> whole;
        var _ = filter.sendAsync(request, reader).whenComplete((value, failure) -> {
            if (failure != null) fail(Failures.bare(failure));
            else succeed(value);
        });
    }

    // For the exchange that is the answer, on its loop.

    ResponseReader<T> reader() {
        return reader;
    }

    Optional<Handshake> handshake() {
        return reader instanceof UpgradeReader<T> asking ? asking.handshake() : Optional.empty();
    }

    /// The answer is a change of protocol, which may last.
    void upgrades(Upgraded to) {
        var running = timer;
        if (running != null) running.cancel();
        if (reader instanceof UpgradeReader<T> asking) asking.onUpgrade(to);
    }

    /// Whether the reader must be told of the end now.
    synchronized boolean isFirstToTell() {
        boolean isFirst = !wasTold;
        wasTold = true;
        return isFirst;
    }

    void succeed(T value) {
        if (finish()) result.succeed(value);
    }

    void abortReader() {
        if (isFirstToTell()) Callbacks.tell(reader::onAbort);
    }

    // Ending.

    private boolean finish() {
        synchronized (this) {
            if (isOver) return false;
            isOver = true;
        }
        var running = timer;
        if (running != null) running.cancel();
        pools.ended(this);
        endDelays();
        return true;
    }

    /// There is no response; any thread.
    void fail(Throwable cause) {
        if (!finish()) return;
        var last = decide();
        if (last != null) last.giveUp();
        if (!execute(this::abortReader)) abortReader();
        result.fail(cause);
    }

    private void expired() {
        if (isOver()) return;
        var detail = "no complete response to " + this + " within " + wholeNanos / 1_000_000 + " ms ("
                + HttpGuards.CLIENT_TIMEOUT.name() + ")";
        HttpGuards.CLIENT_TIMEOUT.acted(destination.address(), detail);
        fail(new TimedOut(detail));
    }

    @Override
    public void giveUp() {
        fail(givenUp());
    }

    @Override
    public void pause() {
        var carrier = last();
        if (carrier != null) carrier.pause();
    }

    @Override
    public void resume() {
        var carrier = last();
        if (carrier != null) carrier.resume();
    }

    private synchronized @Nullable Exchanged<T> last() {
        return current;
    }

    @Override
    EventLoop loop() {
        var carrier = last();
        return carrier == null ? home.loop() : carrier.loop();
    }

    @Override
    List<EventLoop> loops() {
        return pools.loops();
    }

    @Override
    public synchronized boolean isOver() {
        return isOver;
    }

    @Override
    public String toString() {
        return request.method() + " " + destination + request.path();
    }
}
