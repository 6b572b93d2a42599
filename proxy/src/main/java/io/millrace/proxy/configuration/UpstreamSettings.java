package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.Retries;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.tls.TlsClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Servers that share the work, and how they are spoken to.
///
/// @param hash what decides with `Balance.HASH`
/// @param responses the limits of their heads, and nothing else
/// @param tls what backends speak; empty for none
/// @param proxyOut the version of the PROXY protocol in front of each connection, 1 or 2; 0 for none
public record UpstreamSettings(
        String name,
        EndpointsSettings endpoints,
        Balance balance,
        HashKey hash,
        Health health,
        UpstreamLimits limits,
        HttpLimits responses,
        TimeoutSettings timeouts,
        Retries retries,
        HostPolicy host,
        UpstreamLoops loops,
        int proxyOut,
        Optional<BackendTls> tls) {
    /// Servers that are known, with the standards of everything.
    public static UpstreamSettings of(String name, List<Endpoint> endpoints) {
        return new UpstreamSettings(
                name,
                new EndpointsSettings.Listed(endpoints),
                Balance.LEAST_REQUESTS,
                HashKey.SOURCE,
                Health.passive(),
                UpstreamLimits.standard(),
                HttpLimits.standard(),
                TimeoutSettings.STANDARD,
                Retries.STANDARD,
                HostPolicy.KEEP,
                UpstreamLoops.SAME,
                0,
                Optional.empty());
    }

    /// A copy that is balanced otherwise.
    public UpstreamSettings balance(Balance rule) {
        return new UpstreamSettings(
                name, endpoints, rule, hash, health, limits, responses, timeouts, retries, host, loops, proxyOut, tls);
    }

    /// A copy with other limits.
    public UpstreamSettings limits(UpstreamLimits most) {
        return new UpstreamSettings(
                name, endpoints, balance, hash, health, most, responses, timeouts, retries, host, loops, proxyOut, tls);
    }

    /// A copy with other times.
    public UpstreamSettings timeouts(TimeoutSettings times) {
        return new UpstreamSettings(
                name, endpoints, balance, hash, health, limits, responses, times, retries, host, loops, proxyOut, tls);
    }

    /// A copy that tries again otherwise.
    public UpstreamSettings retries(Retries when) {
        return new UpstreamSettings(
                name, endpoints, balance, hash, health, limits, responses, timeouts, when, host, loops, proxyOut, tls);
    }

    /// A copy with connections on other loops.
    public UpstreamSettings loops(UpstreamLoops where) {
        return new UpstreamSettings(
                name, endpoints, balance, hash, health, limits, responses, timeouts, retries, host, where, proxyOut,
                tls);
    }

    /// TLS with backends.
    ///
    /// @param client of a certain name, or of the host of each backend
    /// @param files that were read, and are read again when they change
    public record BackendTls(TlsClient client, List<Path> files) {}

    /// What of a request decides which backend gets it.
    ///
    /// @param name of the field or the cookie; empty for the source
    public record HashKey(By by, String name) {
        public static final HashKey SOURCE = new HashKey(By.SOURCE, "");

        /// Where it is taken from.
        public enum By {
            /// The address of the client.
            SOURCE,
            /// A field; without it, the address.
            HEADER,
            /// A cookie; without it, the address.
            COOKIE
        }
    }

    /// What the Host field of a forwarded request says.
    public sealed interface HostPolicy {
        HostPolicy KEEP = new Keep();

        /// What the client said.
        record Keep() implements HostPolicy {}

        /// The address of the backend, as the configuration has it.
        record BackendAddress() implements HostPolicy {}

        /// Always the same.
        record Rewrite(String host) implements HostPolicy {}
    }

    /// How long a backend may take.
    ///
    /// @param connect for the lookup of its name and the handshake together
    /// @param firstByte from the request to the first byte of its response
    /// @param pending how long a request waits for a connection when all are busy
    /// @param idle while it is the backend's turn and nothing moves; on layer 4, while nothing moves at all
    /// @param keepalive how long a connection without a request is kept for the next one
    /// @param request from the request to the end of its response, with all attempts; zero for any time
    public record TimeoutSettings(
            Duration connect,
            Duration pending,
            Duration firstByte,
            Duration idle,
            Duration keepalive,
            Duration request) {
        public static final TimeoutSettings STANDARD = new TimeoutSettings(
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(50),
                Duration.ZERO);

        /// A copy with another time in which nothing moves; zero for any.
        public TimeoutSettings idle(Duration limit) {
            return new TimeoutSettings(connect, pending, firstByte, limit, keepalive, request);
        }
    }

    /// Which event loop a connection to a backend lives on.
    public enum UpstreamLoops {
        /// That of the client's connection.
        SAME,
        /// One of those that serve clients.
        SHARED,
        /// One of a group of its own.
        OWN
    }
}
