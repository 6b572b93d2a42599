package io.millrace.proxy.backend;

import io.millrace.proxy.upstream.DnsSource;
import io.millrace.proxy.upstream.EndpointFile;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// Where an upstream learns which servers there are: a list, a file, DNS, or whatever else knows. Those made here are
/// equal when they say the same.
@FunctionalInterface
public interface EndpointSource {
    /// Begins to watch: gives the listener the list when it is known, and again whenever it has changed; from any
    /// thread, one call at a time. An unchanged endpoint is equal to what it was. When the source cannot be asked
    /// it stays silent, and the last list stands.
    ///
    /// @return ends the watch
    AutoCloseable watch(Consumer<List<Endpoint>> listener);

    /// Always the same ones.
    static EndpointSource of(List<Endpoint> endpoints) {
        return new Listed(endpoints);
    }

    /// Those of a file, which is read again when it has changed: `host:port`, `[IPv6]:port` or `unix:/path` in
    /// each line, with `weight=…`, `priority=…` and `zone=…` behind it if they are not 1, 0 and empty; what
    /// follows a `#` is a comment. It is looked at every second. A bad file is refused in the log, and the last
    /// good list stands.
    static EndpointSource file(Path file) {
        return new EndpointFile(file, Duration.ofSeconds(1));
    }

    /// The addresses of a name in DNS, asked again when what it said is no longer good, at least a second and at
    /// most five minutes later. IPv4 if there are any, otherwise IPv6.
    ///
    /// @param servers to be asked instead of those of the system
    /// @throws IllegalArgumentException for what is no name or port
    static EndpointSource dns(String host, int port, InetSocketAddress... servers) {
        return DnsSource.addresses(host, port, List.of(servers));
    }

    /// The services of a name in DNS (RFC 2782), such as `_http._tcp.example.org`, with their priorities and
    /// weights; as [#dns].
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
