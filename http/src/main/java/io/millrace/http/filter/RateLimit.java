package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.operation.RequestRate;
import io.millrace.loop.Derived;
import io.millrace.net.CheckReturnValue;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Limits the rate of requests: each client has a bucket of tokens, and a request takes one. If the bucket is
/// empty, the answer is 429 with `Retry-After`.
///
/// ```java
/// var limited = RateLimit.of(10, Duration.ofSeconds(1), 20).around(backends);
/// ```
/// Immutable: a property is set by its name, which returns a copy with buckets of its own. Any thread.
@CheckReturnValue
public final class RateLimit implements HttpFilter {
    /// What [#keys()] is otherwise.
    public static final int STANDARD_KEYS = 100_000;
    private static final long ONE_SECOND_NANOS = 1_000_000_000;

    private final int requests;
    private final Duration per;
    private final int burst;
    private final int keys;
    private final boolean isTogether;
    private final Optional<String> field;
    private final LongSupplier nanoClock;
    private final Derived derived;

    private volatile @Nullable RequestRate rate;

    private RateLimit(
            int requests,
            Duration per,
            int burst,
            int keys,
            boolean isTogether,
            Optional<String> field,
            LongSupplier nanoClock,
            Derived derived) {
        this.requests = requests;
        this.per = per;
        this.burst = burst;
        this.keys = keys;
        this.isTogether = isTogether;
        this.field = field;
        this.nanoClock = nanoClock;
        this.derived = derived;
    }

    /// Allows so many requests in so much time, spread evenly. Each client address has its own bucket, with IPv6
    /// each /64 network; clients without an address, on a Unix socket for instance, share one.
    ///
    /// @param burst how many may come at once after a pause
    /// @throws IllegalArgumentException for numbers below 1, and a duration of zero or less
    public static RateLimit of(int requests, Duration per, int burst) {
        if (requests < 1 || burst < 1) {
            throw new IllegalArgumentException(
                    requests + " requests, and " + burst + " at once: take 1 or more of each");
        }
        if (!per.isPositive()) throw new IllegalArgumentException("a rate limit per " + per + ": take more than zero");
        return new RateLimit(
                requests, per, burst, STANDARD_KEYS, false, Optional.empty(), System::nanoTime, Derived.first());
    }

    /// How many in [#per()].
    public int requests() {
        return requests;
    }

    public Duration per() {
        return per;
    }

    /// How many at once, after a while without any.
    public int burst() {
        return burst;
    }

    /// With another clock than the system's.
    RateLimit clock(LongSupplier nanos) {
        return new RateLimit(requests, per, burst, keys, isTogether, field, nanos, derived.next("clock"));
    }

    /// How many keys are remembered, 1 or more, 16 bytes each; by default [#STANDARD_KEYS]. When there are more, those
    /// are
    /// forgotten that have asked the least.
    public RateLimit keys(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " keys: take 1 or more");
        return new RateLimit(requests, per, burst, most, isTogether, field, nanoClock, derived.next("keys"));
    }

    public int keys() {
        return keys;
    }

    /// One bucket for each value of a field; a request without the field uses its address's bucket. A value that
    /// was not seen lately also takes a token of its address, so that a client gains nothing by sending a new
    /// value each time. Several lines of the field are one value, joined with `, `.
    public RateLimit byHeader(String name) {
        return new RateLimit(requests, per, burst, keys, false, Optional.of(name), nanoClock, derived.next("byHeader"));
    }

    /// One bucket for all clients.
    public RateLimit together() {
        return new RateLimit(requests, per, burst, keys, true, Optional.empty(), nanoClock, derived.next("together"));
    }

    /// The field whose values have a bucket each; empty for addresses.
    public Optional<String> header() {
        return field;
    }

    /// Whether there is one bucket for all.
    public boolean isTogether() {
        return isTogether;
    }

    private List<Object> values() {
        return List.of(requests, per, burst, keys, isTogether, field);
    }

    /// Whether both limit alike, each with buckets of its own.
    @Override
    public boolean equals(Object o) {
        return o instanceof RateLimit other && values().equals(other.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    @Override
    public String toString() {
        var by = isTogether ? "together" : field.map(name -> "by " + name).orElse("by address");
        return "RateLimit[" + requests + " in " + per + ", burst " + burst + ", " + by + ", " + keys + " keys]";
    }

    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    @Override
    public HttpHandler around(HttpHandler next) {
        derived.use();
        return request -> {
            long waitNanos = take(request);
            if (waitNanos == 0) return next.handle(request);
            HttpGuards.RATE_LIMIT.acted(request.remote(), detail());
            long seconds = (waitNanos + ONE_SECOND_NANOS - 1) / ONE_SECOND_NANOS;
            return Response.status(429).setHeader("Retry-After", Long.toString(seconds));
        };
    }

    private long take(Request request) {
        if (isTogether) return rate().take();
        var value = field.flatMap(name -> joined(request, name));
        return value.isPresent() ? rate().take(value.get(), request.remote()) : rate().take(request.remote());
    }

    /// All lines of a field, as if they were one.
    private static Optional<String> joined(Request request, String name) {
        var lines = request.headers(name);
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    /// Takes a token for something other than a request, a connection for instance.
    ///
    /// @return false when there is none
    /// @throws IllegalStateException for the first, when the last copy of this, with something set, was dropped
    public boolean take(SocketAddress who) {
        boolean isTaken = (isTogether ? rate().take() : rate().take(who)) == 0;
        if (!isTaken) HttpGuards.RATE_LIMIT.acted(who, detail());
        return isTaken;
    }

    private String detail() {
        return "more than " + requests + " requests in " + per;
    }

    private RequestRate rate() {
        var known = rate;
        return known != null ? known : make();
    }

    private synchronized RequestRate make() {
        var known = rate;
        if (known != null) return known;
        derived.use();
        long tokenNanos = Math.max(1, per.toNanos() / requests);
        var made = new RequestRate(tokenNanos, burst, isTogether ? 1 : keys, nanoClock);
        rate = made;
        return made;
    }
}
