package io.millrace.http.pool;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Origin;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// What was chosen for a client; times of zero mean no limit.
///
/// @param loops where connections are; empty where each call says its own
/// @param ownsLoops whether they end with it
/// @param connections the most to one destination, but for what that says itself
/// @param waiting the most requests to one destination that wait for a connection
/// @param forwarding fields for the proxy that passes requests for this origin on; empty where none does
/// @param decoding whether it asks for packed bodies, and how much may come of one
public record PoolSettings(
        Optional<EventLoops> loops,
        boolean ownsLoops,
        Function<Destination, Connect> connect,
        HttpLimits limits,
        Duration connectTimeout,
        ClientTimeouts timeouts,
        CallLimits calls,
        int connections,
        int waiting,
        Function<Origin, Optional<Headers>> forwarding,
        Optional<DecodedLimit> decoding) {
    /// How long a connection is kept for the next request, by default: less than most servers keep it, so that
    /// they are not the ones who close it while the next request is on its way.
    public static final Duration KEPT = Duration.ofSeconds(50);
}
