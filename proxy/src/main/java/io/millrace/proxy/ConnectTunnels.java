package io.millrace.proxy;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.Resolver;
import java.time.Duration;
import java.util.Collection;

/// Tunnels to the servers on a list (`CONNECT`, RFC 9110 section 9.3.6), in front of a handler for all
/// other requests.
///
/// ```java
/// Http.serve(Listen.on(3128), ConnectTunnels.to(List.of("example.org:443", "*.internal:443"), upstream));
/// ```
/// Other servers get 403, without a DNS lookup. A server that the list names exactly may have any address.
/// One that a wildcard allows must not be at an address of this machine or of its link: otherwise an
/// attacker who controls names below the wildcard could reach services that listen there. If a server
/// cannot be reached, the response is 502, or 504 after 10 s. No byte after the request is forwarded
/// before the tunnel is open, and a refusal closes a connection of HTTP/1.1, so that no such byte is taken
/// for a request.
///
/// Filters may run in front of it; they see the client's [Request#path]: `host:port`. Immutable: each
/// method returns a copy. Any thread.
public final class ConnectTunnels implements HttpHandler {
    private static final Response FORBIDDEN = Response.status(403);

    private final ConnectTargets targets;
    private final HttpHandler others;
    private final Ways ways;

    /// How to connect to servers.
    record Ways(Resolver names, Duration connectTimeout, Duration idleTimeout) {
        static final Ways STANDARD = new Ways(Resolver.system(), Duration.ofSeconds(10), Duration.ofMinutes(10));
    }

    private ConnectTunnels(ConnectTargets targets, HttpHandler others, Ways ways) {
        this.targets = targets;
        this.others = others;
        this.ways = ways;
    }

    /// Tunnels to these servers.
    ///
    /// @param targets `host:port`, `[IPv6 address]:port`, or `*.domain:port` for all names below a domain
    /// @throws IllegalArgumentException for an invalid one
    public static ConnectTunnels to(Collection<String> targets, HttpHandler others) {
        return new ConnectTunnels(ConnectTargets.of(targets), others, Ways.STANDARD);
    }

    /// The resolver for names, instead of the system's.
    public ConnectTunnels resolver(Resolver names) {
        return new ConnectTunnels(targets, others, new Ways(names, ways.connectTimeout, ways.idleTimeout));
    }

    /// How long name lookup and handshake may take together; by default 10 s.
    public ConnectTunnels connectTimeout(Duration limit) {
        return new ConnectTunnels(targets, others, new Ways(ways.names, limit, ways.idleTimeout));
    }

    /// How long nothing may move in either direction until both sides are reset (`timeout.idle`); by
    /// default 10 minutes, zero for no limit.
    public ConnectTunnels idleTimeout(Duration limit) {
        return new ConnectTunnels(targets, others, new Ways(ways.names, ways.connectTimeout, limit));
    }

    @Override
    public Response handle(Request request) throws Exception {
        if (!request.method().equals("CONNECT")) return others.handle(request);
        var target = targets.find(request.path());
        var received = ReceivedRequest.behind(request);
        if (target.isEmpty() || received == null) return FORBIDDEN;
        return new BackendConnect(target.get(), received, ways).begin();
    }
}
