package io.millrace.proxy;

import io.millrace.proxy.upstream.Outcome;
import java.time.Duration;
import java.util.Set;

/// When a request is given to another backend. One that is not idempotent (RFC 9110 section 9.2.2) is, too, if
/// nothing of it was sent.
///
/// @param attempts the first one included; 1 for no retries
/// @param perTryTimeout how long each of them may take to begin a response; zero for any time
/// @param bufferBytes bodies up to so many bytes are kept for the next attempt; 0 for requests without a body only
public record Retries(Set<Condition> on, int attempts, Duration perTryTimeout, long bufferBytes) {
    /// Two attempts, when a backend could not be reached or closed before it answered.
    public static final Retries STANDARD = new Retries(Set.of(Condition.CONNECT, Condition.RESET), 2, Duration.ZERO, 0);

    public Retries {
        if (attempts < 1) throw new IllegalArgumentException(attempts + " attempts: take 1 or more");
        if (bufferBytes < 0) throw new IllegalArgumentException("bodies of " + bufferBytes + " bytes: take 0 or more");
        on = Set.copyOf(on);
    }

    /// A copy with another number of attempts, 1 or more.
    public Retries attempts(int most) {
        return new Retries(on, most, perTryTimeout, bufferBytes);
    }

    /// What a backend did.
    public enum Condition {
        /// It could not be reached.
        CONNECT,
        /// It closed, or reset, before the first byte of a response.
        RESET,
        /// It did not begin to answer in time.
        TIMEOUT,
        /// It answered 502.
        STATUS_502,
        /// It answered 503.
        STATUS_503,
        /// It answered 504.
        STATUS_504
    }

    /// Whether what became of an attempt is a reason for another one; statuses are asked for by [#isOn(int)].
    boolean isOn(Outcome outcome) {
        return switch (outcome) {
            case NOT_CONNECTED -> on.contains(Condition.CONNECT);
            case RESET, STALE -> on.contains(Condition.RESET);
            case TIMED_OUT -> on.contains(Condition.TIMEOUT);
            case SUCCESS, ERROR_STATUS, BAD_RESPONSE, ABANDONED -> false;
        };
    }

    /// Whether a response of this status is.
    boolean isOn(int status) {
        return switch (status) {
            case 502 -> on.contains(Condition.STATUS_502);
            case 503 -> on.contains(Condition.STATUS_503);
            case 504 -> on.contains(Condition.STATUS_504);
            default -> false;
        };
    }
}
