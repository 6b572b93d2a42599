package io.millrace.proxy;

import io.millrace.proxy.upstream.Outcome;
import java.time.Duration;
import java.util.Set;

/// When a request is sent to another backend: if it is idempotent (RFC 9110 section 9.2.2), or if nothing
/// of it was sent.
///
/// @param attempts the most attempts, the first one included; 1 for no retries
/// @param perTryTimeout how long each attempt may take to begin a response; zero for no limit
/// @param bufferBytes bodies of up to this many bytes are kept for the next attempt; with 0, only requests
/// without a body are retried
public record Retries(Set<Condition> on, int attempts, Duration perTryTimeout, long bufferBytes) {
    /// Two attempts, if a backend cannot be reached or closes before it responds.
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

    /// How an attempt failed.
    public enum Condition {
        /// The backend could not be reached.
        CONNECT,
        /// It closed or reset the connection before the first byte of a response.
        RESET,
        /// It did not begin a response in time.
        TIMEOUT,
        /// It responded with 502.
        STATUS_502,
        /// It responded with 503.
        STATUS_503,
        /// It responded with 504.
        STATUS_504
    }

    /// Whether this result of an attempt causes another one; for statuses see [#isOn(int)].
    boolean isOn(Outcome outcome) {
        return switch (outcome) {
            case NOT_CONNECTED -> on.contains(Condition.CONNECT);
            case RESET, STALE -> on.contains(Condition.RESET);
            case TIMED_OUT -> on.contains(Condition.TIMEOUT);
            case SUCCESS, ERROR_STATUS, BAD_RESPONSE, ABANDONED -> false;
        };
    }

    /// Whether a response with this status causes another attempt.
    boolean isOn(int status) {
        return switch (status) {
            case 502 -> on.contains(Condition.STATUS_502);
            case 503 -> on.contains(Condition.STATUS_503);
            case 504 -> on.contains(Condition.STATUS_504);
            default -> false;
        };
    }
}
