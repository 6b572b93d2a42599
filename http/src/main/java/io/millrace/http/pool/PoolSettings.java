package io.millrace.http.pool;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Origin;
import io.millrace.tls.TlsClient;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// A client's settings; times of zero mean no limit.
///
/// @param loops for connections; empty if each call names its own
/// @param ownsLoops whether they end with the client
/// @param connect how to connect, and which versions to offer there
/// @param connections the most to one destination, unless that has a limit of its own
/// @param waiting the most requests to one destination that wait for a connection
/// @param version spoken there; negotiated only where TLS can negotiate it
/// @param forwarding fields for the proxy that passes requests for this origin on; empty if there is none
/// @param decoding whether compressed bodies are asked for, and how much one may decompress to
public record PoolSettings(
        Optional<EventLoops> loops,
        boolean ownsLoops,
        BiFunction<Destination, HttpVersion, Connect> connect,
        HttpLimits limits,
        Duration connectTimeout,
        ClientTimeouts timeouts,
        CallLimits calls,
        int connections,
        int waiting,
        Function<Destination, HttpVersion> version,
        Function<Origin, Optional<Headers>> forwarding,
        Optional<DecodedLimit> decoding) {
    /// How long a connection is kept for the next request, by default: less than most servers keep it, so
    /// that the server does not close it while the next request is on its way.
    public static final Duration KEPT = Duration.ofSeconds(50);

    /// TLS that offers this version and no other, whatever it offers otherwise.
    public static TlsClient offering(HttpVersion version, TlsClient tls) {
        return tls.speaking(version.applicationProtocols().toArray(String[]::new));
    }
}
