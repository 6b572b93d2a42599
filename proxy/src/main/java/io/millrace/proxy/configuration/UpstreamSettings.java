package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.Retries;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
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
        Optional<BackendTls> tls) {}
