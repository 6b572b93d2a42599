package io.millrace.proxy.configuration;

import io.millrace.proxy.backend.Endpoint;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Where an upstream learns which servers there are.
public sealed interface EndpointsSettings {
    /// Always these.
    record Listed(List<Endpoint> endpoints) implements EndpointsSettings {}

    /// Those in a file, which is watched.
    record WatchedFile(Path file) implements EndpointsSettings {}

    /// Those that DNS names, asked again when its answer has expired.
    ///
    /// @param port for addresses; 0 with SRV, which says it
    /// @param servers who is asked; nobody for those of the system
    /// @param minTtl how long an answer is kept at least
    /// @param maxTtl how long an answer is kept at most
    record Resolved(String name, Type type, int port, List<InetSocketAddress> servers, Duration minTtl, Duration maxTtl)
            implements EndpointsSettings {
        public static final Duration STANDARD_MIN_TTL = Duration.ofSeconds(1);
        public static final Duration STANDARD_MAX_TTL = Duration.ofMinutes(5);
    }

    /// Of records.
    enum Type {
        /// A and AAAA.
        ADDRESS,
        /// SRV (RFC 2782), with ports, priorities and weights.
        SRV
    }
}
