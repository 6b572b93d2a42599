package io.millrace.proxy;

import io.millrace.proxy.Retries.Condition;
import io.millrace.proxy.upstream.Outcome;

/// Whether what became of an attempt is a reason for another one.
final class Retry {
    private Retry() {}

    /// Any status counts when one of them does; which one is said by [#isOn(Retries, int)].
    static boolean isOn(Retries when, Outcome outcome) {
        return switch (outcome) {
            case NOT_CONNECTED -> when.on().contains(Condition.CONNECT);
            case RESET -> when.on().contains(Condition.RESET);
            case TIMED_OUT -> when.on().contains(Condition.TIMEOUT);
            case ERROR_STATUS -> true;
            case SUCCESS, BAD_RESPONSE, ABANDONED -> false;
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
