package io.millrace.proxy.backend;

import io.millrace.proxy.upstream.DnsSource;
import io.millrace.proxy.upstream.EndpointFile;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// Where an upstream gets its list of servers: a fixed list, a file, DNS, or a source of your own. The
/// sources made here are equal if their settings are.
@FunctionalInterface
public interface EndpointSource {
    /// Begins to watch: gives the listener the list as soon as it is known, and again after each change,
    /// on any thread, one call at a time. An unchanged endpoint equals its former value. While the source
    /// is not available, the listener is not called, and the last list stays in use.
    ///
    /// @return ends the watch
    AutoCloseable watch(Consumer<List<Endpoint>> listener);

    /// A fixed list.
    static EndpointSource of(List<Endpoint> endpoints) {
        return new Listed(endpoints);
    }

    /// The endpoints in a file, which is read again when it changes: `host:port`, `[IPv6]:port` or
    /// `unix:/path` on each line, followed by `weight=…`, `priority=…` and `zone=…` if they are not 1, 0
    /// and empty; `#` begins a comment. The file is checked every second. If it has an error, the log says
    /// so, and the last good list stays in use.
    static EndpointSource file(Path file) {
        return new EndpointFile(file, Duration.ofSeconds(1));
    }

    /// The addresses of a DNS name, looked up again when the answer expires, after at least a second and
    /// at most five minutes. IPv4 addresses if there are any, otherwise IPv6.
    ///
    /// @param servers name servers to ask instead of the system's
    /// @throws IllegalArgumentException if the name or the port is not valid
    static EndpointSource dns(String host, int port, InetSocketAddress... servers) {
        return DnsSource.addresses(host, port, List.of(servers));
    }

    /// The services of a DNS name (RFC 2782), such as `_http._tcp.example.org`, with their ports,
    /// priorities and weights; looked up as by [#dns].
    static EndpointSource srv(String name, InetSocketAddress... servers) {
        return DnsSource.services(name, List.of(servers));
    }

    /// See [#of].
    record Listed(List<Endpoint> endpoints) implements EndpointSource {
        public Listed {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public AutoCloseable watch(Consumer<List<Endpoint>> listener) {
            listener.accept(endpoints);
            return () -> {};
        }
    }
}
