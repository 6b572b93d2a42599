package io.millrace.proxy.upstream;

import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// Backends from DNS, looked up again when an answer expires.
///
/// @param name a host, or services such as `_http._tcp.example.org`
/// @param port of the backends; 0 with [Type#SRV], whose answers have ports
/// @param servers name servers to ask; empty for the system's, and its hosts file
/// @param minTtl the shortest time that an answer is kept
/// @param maxTtl the longest time that an answer is kept
public record DnsSource(
        String name, Type type, int port, List<InetSocketAddress> servers, Duration minTtl, Duration maxTtl)
        implements EndpointSource {
    public static final Duration STANDARD_MIN_TTL = Duration.ofSeconds(1);
    public static final Duration STANDARD_MAX_TTL = Duration.ofMinutes(5);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /// @throws IllegalArgumentException if the name or the port is not valid
    public DnsSource {
        var _ = DnsMessage.checkedName(name);
        int least = type == Type.SRV ? 0 : 1;
        if (port < least || port > 0xffff) throw new IllegalArgumentException("port " + port + ": take 1 to 65535");
        servers = List.copyOf(servers);
    }

    /// The type of records.
    public enum Type {
        /// A and AAAA.
        ADDRESS,
        /// SRV (RFC 2782), with ports, priorities and weights.
        SRV
    }

    /// The addresses of a host.
    public static DnsSource addresses(String host, int port, List<InetSocketAddress> servers) {
        return new DnsSource(host, Type.ADDRESS, port, servers, STANDARD_MIN_TTL, STANDARD_MAX_TTL);
    }

    /// The services of a name.
    public static DnsSource services(String name, List<InetSocketAddress> servers) {
        return new DnsSource(name, Type.SRV, 0, servers, STANDARD_MIN_TTL, STANDARD_MAX_TTL);
    }

    @Override
    public AutoCloseable watch(Consumer<List<Endpoint>> listener) {
        boolean isSystem = servers.isEmpty();
        var names = isSystem ? ResolvConf.ofSystem() : new ResolvConf(servers, List.of(), 0);
        var hosts = Path.of(isSystem ? "/etc/hosts" : "/dev/null");
        var client = new DnsClient(names.servers(), TIMEOUT);
        return new DnsLookup(client, names, hosts, name, port, minTtl, maxTtl).watch(listener);
    }
}
