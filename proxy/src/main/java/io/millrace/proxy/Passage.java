package io.millrace.proxy;

import io.millrace.http.ServedRequest;
import io.millrace.http.message.ReceivedRequest;
import java.util.Optional;

/// How an [Upstream] passed a request on. A value.
///
/// @param upstream its name
/// @param backend `host:port` of the one that was asked last; empty when nobody was
/// @param attempts how often a backend was asked
/// @param failure why there is no response of a backend, or not all of it, in words for a log; empty when there
///     is
/// @param trace the 32 digits of the trace (W3C Trace Context) that the backend was told; empty for none
public record Passage(String upstream, String backend, int attempts, String failure, String trace) {
    /// That of a request that is over; empty for one that was answered by somebody else.
    public static Optional<Passage> of(ServedRequest served) {
        return exchange(served).map(Passage::of);
    }

    static Optional<Exchange> exchange(ServedRequest served) {
        return served.request()
                .filter(ReceivedRequest.class::isInstance)
                .flatMap(request -> ((ReceivedRequest) request).passedOnBy())
                .filter(Exchange.class::isInstance)
                .map(Exchange.class::cast);
    }

    private static Passage of(Exchange exchange) {
        return new Passage(
                exchange.backends().toString(),
                exchange.backend().map(Object::toString).orElse(""),
                exchange.attempts(),
                exchange.reason(),
                exchange.trace().trace());
    }
}
