package io.millrace.codec;

import io.millrace.net.Backoff;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.function.Predicate;

/// When a client connects again, and what it keeps meanwhile; a value.
///
/// @param backoff before each attempt; by default from half a second to half a minute
/// @param steadyAfter a connection that lasts so long begins the backoff anew, by default 10 s: a server that accepts
///     connections and drops them is not asked all the time
/// @param messages how many wait to be sent while there is no connection, by default 1000 (`reconnect.messages`); then
///     the oldest are dropped
/// @param goesOn whether to try again after a failure; by default always, but a WebSocket does not after a
///     refusal that would come again
@CheckReturnValue
public record ReconnectSettings(Backoff backoff, Duration steadyAfter, int messages, Predicate<Throwable> goesOn) {
    private static final ReconnectSettings STANDARD = new ReconnectSettings(
            Backoff.of(Duration.ofMillis(500), Duration.ofSeconds(30)), Duration.ofSeconds(10), 1000, _ -> true);

    public ReconnectSettings {
        if (steadyAfter.isNegative())
            throw new IllegalArgumentException("steady after " + steadyAfter + ": take 0 or more");
        if (messages < 0) throw new IllegalArgumentException(messages + " messages that wait: take 0 or more");
    }

    /// The defaults.
    public static ReconnectSettings standard() {
        return STANDARD;
    }

    /// The same with another backoff.
    public ReconnectSettings backoff(Backoff between) {
        return new ReconnectSettings(between, steadyAfter, messages, goesOn);
    }

    /// The same with another time after which a connection counts as steady.
    public ReconnectSettings steadyAfter(Duration time) {
        return new ReconnectSettings(backoff, time, messages, goesOn);
    }

    /// The same with another limit for messages that wait.
    public ReconnectSettings messages(int most) {
        return new ReconnectSettings(backoff, steadyAfter, most, goesOn);
    }

    /// The same, but after failures for which this is false, nothing is tried again.
    public ReconnectSettings goesOn(Predicate<Throwable> after) {
        return new ReconnectSettings(backoff, steadyAfter, messages, after);
    }
}
