package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.operation.RequestRate;
import io.millrace.net.CheckReturnValue;
import java.net.SocketAddress;
import java.time.Duration;
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
    private static final int STANDARD_KEYS = 100_000;
    private static final long ONE_SECOND_NANOS = 1_000_000_000;

    private final int requests;
    private final Duration per;
    private final int burst;
    private final int keys;
    private final boolean isTogether;
    private final Optional<String> field;
    private final LongSupplier nanoClock;

    private volatile @Nullable RequestRate rate;

    private RateLimit(
            int requests,
            Duration per,
            int burst,
            int keys,
            boolean isTogether,
            Optional<String> field,
            LongSupplier nanoClock) {
        this.requests = requests;
        this.per = per;
        this.burst = burst;
        this.keys = keys;
        this.isTogether = isTogether;
        this.field = field;
        this.nanoClock = nanoClock;
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
        return new RateLimit(requests, per, burst, STANDARD_KEYS, false, Optional.empty(), System::nanoTime);
    }

    /// With another clock than the system's.
    RateLimit clock(LongSupplier nanos) {
        return new RateLimit(requests, per, burst, keys, isTogether, field, nanos);
    }

    /// How many keys are remembered, 1 or more, 16 bytes each; by default 100 000. When there are more, those
    /// with the fewest requests are evicted.
    public RateLimit keys(int most) {
        if (most < 1) throw new IllegalArgumentException(most + " keys: take 1 or more");
        return new RateLimit(requests, per, burst, most, isTogether, field, nanoClock);
    }

    public int keys() {
        return keys;
    }

    /// One bucket for each value of a field; a request without the field uses its address's bucket. A value that
    /// was not seen lately also takes a token of its address, so that a client gains nothing by sending a new
    /// value each time. Several lines of the field are one value, joined with `, `.
    public RateLimit byHeader(String name) {
        return new RateLimit(requests, per, burst, keys, false, Optional.of(name), nanoClock);
    }

    /// One bucket for all clients.
    public RateLimit together() {
        return new RateLimit(requests, per, burst, keys, true, Optional.empty(), nanoClock);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
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
    /// @return false if there is none
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
        long tokenNanos = Math.max(1, per.toNanos() / requests);
        if (known == null) rate = known = new RequestRate(tokenNanos, burst, isTogether ? 1 : keys, nanoClock);
        return known;
    }
}
