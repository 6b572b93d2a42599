package io.millrace.proxy;

import io.millrace.proxy.Retries.Condition;
import io.millrace.proxy.upstream.Outcome;

/// Whether what became of an attempt is a reason for another one.
final class Retry {
    private Retry() {}

    /// Statuses are asked for by [#isOn(Retries, int)].
    static boolean isOn(Retries when, Outcome outcome) {
        return switch (outcome) {
            case NOT_CONNECTED -> when.on().contains(Condition.CONNECT);
            case RESET, STALE -> when.on().contains(Condition.RESET);
            case TIMED_OUT -> when.on().contains(Condition.TIMEOUT);
            case SUCCESS, ERROR_STATUS, BAD_RESPONSE, ABANDONED -> false;
        };
    }

    static boolean isOn(Retries when, int status) {
        return switch (status) {
            case 502 -> when.on().contains(Condition.STATUS_502);
            case 503 -> when.on().contains(Condition.STATUS_503);
            case 504 -> when.on().contains(Condition.STATUS_504);
            default -> false;
        };
    }
}
