package io.millrace.http.filter;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.operation.Mix;
import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/// A handler that shares requests among handlers by weight, for a new version that gets a few of them at first.
///
/// ```java
/// var split = TrafficSplit.of(95, stable).and(5, next);
/// Http.listen(8080, split.by(request -> sessionOf(request).hashCode()));
/// ```
/// By default each request is drawn. With a key, all requests of the same key go to the same handler as long as the
/// weights stay, in every process; if the weight of one handler grows, its keys stay with it.
///
/// Immutable: a property that is set makes a copy. Any thread.
@CheckReturnValue
public final class TrafficSplit implements HttpHandler {
    /// The largest weight; 0 is for a handler that gets nothing.
    public static final int MOST_WEIGHT = 1_000_000;

    private static final int MOST = 100;

    /// So that what handlers behind it do with the same key does not depend on this.
    private static final long SALT = Mix.of("traffic split");

    /// A handler, and the sum of weights up to it.
    private record Share(HttpHandler handler, int upTo) {}

    private final List<Share> shares;
    private final Optional<ToLongFunction<Request>> key;
    private final AtomicLong luck = new AtomicLong();

    private TrafficSplit(List<Share> shares, Optional<ToLongFunction<Request>> key) {
        this.shares = shares;
        this.key = key;
    }

    /// All requests to one handler.
    ///
    /// @throws IllegalArgumentException for a weight that is not 0 to [#MOST_WEIGHT]
    public static TrafficSplit of(int weight, HttpHandler handler) {
        return new TrafficSplit(List.of(), Optional.empty()).and(weight, handler);
    }

    /// With another handler.
    ///
    /// @throws IllegalArgumentException for a weight that is not 0 to [#MOST_WEIGHT], and for more than 100
    ///     handlers
    public TrafficSplit and(int weight, HttpHandler handler) {
        if (weight < 0 || weight > MOST_WEIGHT)
            throw new IllegalArgumentException("a weight of " + weight + ": take 0 to " + MOST_WEIGHT);
        if (shares.size() == MOST) throw new IllegalArgumentException("more than " + MOST + " handlers: name fewer");
        var more = new ArrayList<>(shares);
        more.add(new Share(handler, total() + weight));
        return new TrafficSplit(List.copyOf(more), key);
    }

    /// By a key, which must be the same number in every process.
    public TrafficSplit by(ToLongFunction<Request> itsKey) {
        return new TrafficSplit(shares, Optional.of(itsKey));
    }

    private int total() {
        return shares.isEmpty() ? 0 : shares.getLast().upTo;
    }

    /// @throws IllegalStateException if all weights are 0
    @Override
    public Response handle(Request request) throws Exception {
        if (total() == 0) throw new IllegalStateException("all weights are 0: give one handler more");
        long mixed = key.isPresent() ? Mix.mix(Mix.mix(key.get().applyAsLong(request)) + SALT) : drawn(request);
        int point = Mix.below(total(), mixed);
        int at = 0;
        while (shares.get(at).upTo <= point) at++;
        return shares.get(at).handler.handle(request);
    }

    /// By the loop's clock, so that a simulation draws the same every time.
    private long drawn(Request request) {
        var received = ReceivedRequest.behind(request);
        long nowNanos = received == null ? System.nanoTime() : received.loop().nowNanos();
        return Mix.mix(luck.getAndAdd(Mix.STEP) + nowNanos);
    }
}
