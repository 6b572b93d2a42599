package io.millrace.http.client;

import io.millrace.http.ClientFilter;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.DateField;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Failures;
import io.millrace.net.Backoff;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/// Repeats requests that failed, or whose response invites a retry. Immutable: a property is set by its name,
/// which returns a copy, and read by the same name. Any thread.
///
/// ```java
/// HttpClient.of(ClientSettings.standard().filter(RetryFilter.standard().attempts(4)))
/// ```
/// - **What** is sent again: idempotent methods (RFC 9110 section 9.2.2), and others with [#unsafe]; whatever the
///   method, a request whose connection was refused, unless a [ForwardProxy] has done so for good (403, 407). A
///   body that a [io.millrace.http.BodyWriter] writes is sent once.
/// - **When**: there is no head of a response (`Refused`, `Reset`, `TimedOut`), or its status is 429, 502, 503 or
///   504. The last answer is the caller's. A response that has begun is not asked for again.
/// - **How soon**: after a random time between half of a backoff and all of it, which doubles each time; or after
///   what `Retry-After` says. If that is longer than the longest backoff, the answer is the caller's.
/// - **How often**: as long as there are attempts, time ([ClientSettings#timeout]) and budget: each request that
///   is sent first adds a part of a retry to it, so that a server in trouble gets little more than usual; a call
///   that is given up takes nothing. A filter that several clients share has one budget for all.
@CheckReturnValue
public final class RetryFilter implements ClientFilter {
    private static final Set<Integer> STATUSES = Set.of(429, 502, 503, 504);

    /// What the budget counts in: hundredths of a retry.
    private static final int RETRY = 100;

    /// Retries that are there at the beginning, and saved up at most.
    private static final int MOST_SAVED = 10 * RETRY;

    private int attempts = 3;
    private Backoff backoff = Backoff.of(Duration.ofMillis(100), Duration.ofSeconds(10));
    private Duration attemptTimeout = Duration.ZERO;
    private int budgetPercent = 20;
    private boolean unsafe;

    private InstantSource clock = InstantSource.system();

    private final AtomicInteger saved = new AtomicInteger(MOST_SAVED);

    private RetryFilter() {}

    /// For a change: nobody else has it yet.
    private RetryFilter(RetryFilter other) {
        this.attempts = other.attempts;
        this.backoff = other.backoff;
        this.attemptTimeout = other.attemptTimeout;
        this.budgetPercent = other.budgetPercent;
        this.unsafe = other.unsafe;
        this.clock = other.clock;
    }

    /// Three attempts, a backoff from 100 ms to 10 s, a budget of 20 %, idempotent methods.
    public static RetryFilter standard() {
        return new RetryFilter();
    }

    /// How often a request is sent at most, the first time included, 1 to 100.
    public RetryFilter attempts(int most) {
        if (most < 1 || most > 100) throw new IllegalArgumentException(most + " attempts: take 1 to 100");
        var copy = new RetryFilter(this);
        copy.attempts = most;
        return copy;
    }

    public int attempts() {
        return attempts;
    }

    /// The first backoff, more than 0, and the longest one; it doubles in between.
    public RetryFilter backoff(Duration first, Duration longest) {
        var copy = new RetryFilter(this);
        copy.backoff = new Backoff(first, longest, backoff.luck());
        return copy;
    }

    public Duration backoff() {
        return backoff.first();
    }

    public Duration longestBackoff() {
        return backoff.longest();
    }

    /// Time for each attempt to the end of its response, within the call's time; zero, the default, means that
    /// only the call's time counts. With redirects each request of an attempt has this time.
    public RetryFilter attemptTimeout(Duration limit) {
        var copy = new RetryFilter(this);
        copy.attemptTimeout = Duration.ofNanos(ConnectionSettings.nanos(limit, "an attempt timeout"));
        return copy;
    }

    public Duration attemptTimeout() {
        return attemptTimeout;
    }

    /// Retries per 100 requests in the long run, 0 to 100; by default 20. At most ten are saved up.
    public RetryFilter budgetPercent(int percent) {
        if (percent < 0 || percent > 100)
            throw new IllegalArgumentException("a budget of " + percent + " %: take 0 to 100");
        var copy = new RetryFilter(this);
        copy.budgetPercent = percent;
        return copy;
    }

    public int budgetPercent() {
        return budgetPercent;
    }

    /// Whether methods that are not idempotent, such as `POST`, are repeated: for servers that recognize requests
    /// which they have served.
    public RetryFilter unsafe(boolean too) {
        var copy = new RetryFilter(this);
        copy.unsafe = too;
        return copy;
    }

    public boolean unsafe() {
        return unsafe;
    }

    /// The source of random numbers from 0 to 1, for tests.
    public RetryFilter luck(DoubleSupplier source) {
        var copy = new RetryFilter(this);
        copy.backoff = backoff.luck(source);
        return copy;
    }

    /// The clock that dates in `Retry-After` are compared with, for tests.
    public RetryFilter clock(InstantSource source) {
        var copy = new RetryFilter(this);
        copy.clock = source;
        return copy;
    }

    @Override
    public CompletionStage<Response> send(Request request, Rest next) {
        save(budgetPercent);
        var built = BuiltRequest.copyOf(request);
        return attempt(attemptTimeout.isZero() ? built : built.within(attemptTimeout), next, 1);
    }

    private CompletionStage<Response> attempt(BuiltRequest request, Rest next, int number) {
        return next.send(request)
                .handle((response, failure) -> after(request, next, number, response, failure))
                .thenCompose(further -> further);
    }

    private CompletionStage<Response> after(
            BuiltRequest request, Rest next, int number, @Nullable Response response, @Nullable Throwable failure) {
        var wait = response == null ? afterFailure(request, number, failure) : afterAnswer(request, number, response);
        if (wait.isPresent() && number < attempts && spend()) {
            // The connection of the response is of use to others meanwhile.
            next.leave();
            return next.delay(wait.get())
                    .whenComplete((_, tooLate) -> {
                        if (tooLate != null) save(RETRY);
                    })
                    .thenCompose(_ -> attempt(request, next, number + 1));
        }
        return response == null
                ? CompletableFuture.failedFuture(bare(failure))
                : CompletableFuture.completedStage(response);
    }

    private static Throwable bare(@Nullable Throwable failure) {
        if (failure == null) return new IllegalStateException("neither a response nor a failure");
        return Failures.bare(failure);
    }

    private Optional<Duration> afterFailure(BuiltRequest request, int number, @Nullable Throwable failure) {
        boolean isWorthIt = request.upload().isEmpty()
                && switch (bare(failure)) {
                    case Refused refused -> refused.status().stream().allMatch(STATUSES::contains);
                    case Reset _, TimedOut _ -> isRepeatable(request);
                    default -> false;
                };
        return isWorthIt ? Optional.of(backoff.after(number)) : Optional.empty();
    }

    private Optional<Duration> afterAnswer(BuiltRequest request, int number, Response response) {
        boolean isWorthIt =
                STATUSES.contains(response.status()) && request.upload().isEmpty() && isRepeatable(request);
        if (!isWorthIt) return Optional.empty();
        var told = response.header("Retry-After").flatMap(this::told);
        if (told.isEmpty()) return Optional.of(backoff.after(number));
        return told.filter(time -> time.compareTo(backoff.longest()) <= 0);
    }

    private boolean isRepeatable(Request request) {
        return unsafe || OutgoingRequest.isIdempotent(request.method());
    }

    /// Seconds or a date (RFC 9110 section 10.2.3); what is neither says nothing.
    private Optional<Duration> told(String field) {
        if (field.matches("[0-9]{1,9}")) return Optional.of(Duration.ofSeconds(Long.parseLong(field)));
        long now = clock.millis() / 1000;
        return DateField.parse(field, now).stream()
                .mapToObj(then -> Duration.ofSeconds(Math.max(0, then - now)))
                .findFirst();
    }

    private void save(int hundredths) {
        saved.updateAndGet(before -> Math.min(MOST_SAVED, before + hundredths));
    }

    private boolean spend() {
        return saved.getAndUpdate(before -> before < RETRY ? before : before - RETRY) >= RETRY;
    }
}
