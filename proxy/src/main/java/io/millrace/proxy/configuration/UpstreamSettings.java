package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.Retries;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
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

    /// A copy with connections on other loops.
    public UpstreamSettings loops(UpstreamLoops where) {
        return new UpstreamSettings(
                name, endpoints, balance, hash, health, limits, responses, timeouts, retries, host, where, proxyOut,
                tls);
    }
}
