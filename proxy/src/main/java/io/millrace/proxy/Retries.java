package io.millrace.proxy;

import io.millrace.http.grammar.Grpc;
import io.millrace.proxy.upstream.Outcome;
import java.time.Duration;
import java.util.Set;

/// When a request is sent to another backend: if it is idempotent (RFC 9110 section 9.2.2), or if nothing
/// of it was sent. The conditions of gRPC are for all of its calls, which are never idempotent.
///
/// @param attempts the most attempts, the first one included; 1 for no retries
/// @param perTryTimeout how long each attempt may take to begin a response; zero for no limit
/// @param bufferBytes of bodies of up to this many bytes a copy is kept for the next attempt; with 0, only requests
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
        CONNECT(Grpc.NONE),
        /// It closed or reset the connection before the first byte of a response.
        RESET(Grpc.NONE),
        /// It did not begin a response in time.
        TIMEOUT(Grpc.NONE),
        /// It responded with 502.
        STATUS_502(Grpc.NONE),
        /// It responded with 503.
        STATUS_503(Grpc.NONE),
        /// It responded with 504.
        STATUS_504(Grpc.NONE),
        /// A call of gRPC ended with 1 CANCELLED, without a part of an answer, like the following ones.
        CANCELLED(Grpc.CANCELLED),
        /// 4 DEADLINE_EXCEEDED.
        DEADLINE_EXCEEDED(Grpc.DEADLINE_EXCEEDED),
        /// 8 RESOURCE_EXHAUSTED.
        RESOURCE_EXHAUSTED(Grpc.RESOURCE_EXHAUSTED),
        /// 13 INTERNAL.
        INTERNAL(Grpc.INTERNAL),
        /// 14 UNAVAILABLE.
        UNAVAILABLE(Grpc.UNAVAILABLE);

        private final int grpcStatus;

        Condition(int grpcStatus) {
            this.grpcStatus = grpcStatus;
        }
    }

    /// Whether a call of gRPC that ended at once with this status causes another attempt.
    boolean isOnCall(int grpcStatus) {
        if (grpcStatus == Grpc.NONE) return false;
        for (var condition : on) if (condition.grpcStatus == grpcStatus) return true;
        return false;
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
