package io.millrace.loop;

import io.millrace.bytes.Overflow;
import io.millrace.net.NetException;
import io.millrace.net.Overloaded;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.transport.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/// Why a connection ended, as an exception for user code.
final class EndCause {
    private EndCause() {}

    /// For a failure of the network.
    static NetException of(Failure kind, String detail) {
        return switch (kind) {
            case REFUSED -> new Refused(detail);
            case RESET, OTHER -> new Reset(detail);
            case TIMED_OUT -> new TimedOut(detail);
            case NO_RESOURCES -> new Overloaded(detail);
        };
    }

    /// For an exception of user code.
    static IOException of(Throwable thrown) {
        return switch (thrown) {
            case IOException e -> e;
            case UncheckedIOException e -> Objects.requireNonNull(e.getCause());
            case Overflow e -> new Overloaded(String.valueOf(e.getMessage()));
            default -> new IOException("the handler threw " + thrown, thrown);
        };
    }
}
