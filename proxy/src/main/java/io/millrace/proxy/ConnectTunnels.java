package io.millrace.proxy;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.Resolver;
import java.time.Duration;
import java.util.Collection;

/// Tunnels to servers that are named (`CONNECT`, RFC 9110 section 9.3.6), in front of a handler for everything
/// else.
///
/// ```java
/// Http.serve(Listen.on(3128), ConnectTunnels.to(List.of("example.org:443", "*.internal:443"), upstream));
/// ```
/// Where the list does not lead is answered with 403, without a look at DNS. What stands there as it was asked
/// for is reached wherever it is; what a wildcard allows is not, if its name means an address of this machine or
/// of its link: whoever can write names below it could reach services that listen there. A server that cannot be
/// reached is 502, or 504 when it took too long, 10 s. Not a byte behind the request goes on before the tunnel is
/// there, and a refusal closes the connection, so that no such byte is taken for a request.
///
/// Filters may stand in front of it, which see [Request#path] as the client asked: `host:port`. Immutable: each method
/// returns a copy. Any thread.
public final class ConnectTunnels implements HttpHandler {
    private static final Response FORBIDDEN = Response.status(403).close();

    private final ConnectTargets targets;
    private final HttpHandler others;
    private final Ways ways;

    /// How servers are connected to.
    record Ways(Resolver names, Duration connectTimeout, Duration idleTimeout) {
        static final Ways STANDARD = new Ways(Resolver.system(), Duration.ofSeconds(10), Duration.ofMinutes(10));
    }

    private ConnectTunnels(ConnectTargets targets, HttpHandler others, Ways ways) {
        this.targets = targets;
        this.others = others;
        this.ways = ways;
    }

    /// To these.
    ///
    /// @param targets `host:port`, `[IPv6 address]:port`, or `*.domain:port` for all names below one
    /// @throws IllegalArgumentException for what is none
    public static ConnectTunnels to(Collection<String> targets, HttpHandler others) {
        return new ConnectTunnels(ConnectTargets.of(targets), others, Ways.STANDARD);
    }

    /// Who looks up names, instead of the system.
    public ConnectTunnels resolver(Resolver names) {
        return new ConnectTunnels(targets, others, new Ways(names, ways.connectTimeout, ways.idleTimeout));
    }

    /// How long name lookup and handshake may take together; by default 10 s.
    public ConnectTunnels connectTimeout(Duration limit) {
        return new ConnectTunnels(targets, others, new Ways(ways.names, limit, ways.idleTimeout));
    }

    /// How long nothing may pass in either direction until both sides are reset (`timeout.idle`); by default 10
    /// minutes, with zero for ever.
    public ConnectTunnels idleTimeout(Duration limit) {
        return new ConnectTunnels(targets, others, new Ways(ways.names, ways.connectTimeout, limit));
    }

    @Override
    public Response handle(Request request) throws Exception {
        if (!request.method().equals("CONNECT")) return others.handle(request);
        var target = targets.find(request.path());
        var received = ReceivedRequest.behind(request);
        if (target.isEmpty() || received == null) return FORBIDDEN;
        return new BackendConnect(target.get(), received.loop(), ways).begin();
    }
}
