package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.operation.ClientAddress;
import io.millrace.http.operation.ForwardedNodes;
import io.millrace.net.CheckReturnValue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Finds the client's address behind proxies, which name it in a field. The filter belongs outside of all others:
/// it decides once, and [io.millrace.http.Request#remote] has the result.
///
/// ```java
/// var balancers = Networks.of("10.0.0.0/24");
/// Http.serve(on, RealIp.from(balancers).around(limited));
/// ```
/// ```
///   X-Forwarded-For: whatever the client says, client, proxy A      ── from proxy B
///                                              ▲       trusted         trusted
///                                              └── it
/// ```
/// A peer outside of these networks is the client itself, whatever its request says. From a trusted peer the list
/// is walked from the right, since each proxy appends its peer, to the first address that is not trusted. A
/// malformed entry ends the walk: the client is the address to its right. A peer on a Unix socket is trusted,
/// because the socket's permissions protect it.
///
/// Immutable; a property that is set makes a copy. Two that say the same are equal. Any thread.
@CheckReturnValue
public final class RealIp implements HttpFilter {
    /// The field that most proxies send.
    public static final String STANDARD_HEADER = "X-Forwarded-For";

    private final Networks trusted;
    private final String header;

    private RealIp(Networks trusted, String header) {
        this.trusted = trusted;
        this.header = header;
    }

    /// Trusts proxies in these networks, which send `X-Forwarded-For`.
    public static RealIp from(Networks trusted) {
        return new RealIp(trusted, STANDARD_HEADER);
    }

    /// Reads this field instead: an address, or a list of them; for `Forwarded`, the syntax of RFC 7239.
    public RealIp header(String name) {
        return new RealIp(trusted, name);
    }

    /// The proxies that are believed.
    public Networks trusted() {
        return trusted;
    }

    /// The field that is read.
    public String header() {
        return header;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof RealIp other && trusted.equals(other.trusted) && header.equals(other.header);
    }

    @Override
    public int hashCode() {
        return Objects.hash(trusted, header);
    }

    @Override
    public String toString() {
        return "RealIp[trusted=" + trusted + ", header=" + header + "]";
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var received = ReceivedRequest.behind(request);
            if (received != null) decide(received);
            return next.handle(request);
        };
    }

    private void decide(ReceivedRequest request) {
        if (!isTrusted(request.connection().remote())) return;
        // This holds even if `Connection` names the field: a client must not be able to have it removed.
        var client = walk(request.headers(header));
        if (client.isPresent()) request.servedFor(new InetSocketAddress(client.get(), 0));
    }

    private boolean isTrusted(SocketAddress peer) {
        return !(peer instanceof InetSocketAddress at) || trusted.contains(at.getAddress());
    }

    private Optional<InetAddress> walk(List<String> lines) {
        var last = Optional.<InetAddress>empty();
        for (var line : lines.reversed()) {
            for (var entry : entries(line).reversed()) {
                var told = ClientAddress.parse(entry);
                if (told.isEmpty()) return last;
                last = told;
                if (!trusted.contains(told.get())) return last;
            }
        }
        return last;
    }

    private List<String> entries(String line) {
        if (header.equalsIgnoreCase("Forwarded")) return ForwardedNodes.of(line);
        return Arrays.stream(line.split(",", -1)).map(String::strip).toList();
    }
}
