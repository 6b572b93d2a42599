package io.millrace.proxy;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.proxy.operation.ClientAddress;
import java.net.InetAddress;
import java.util.function.Predicate;

/// Which addresses get through; others are answered with 403, and so is who has none, on a Unix socket.
/// Immutable.
public final class Access implements HttpFilter {
    private static final Response REFUSED = Response.status(403);

    private final Predicate<InetAddress> isAllowed;
    private final Networks trusted;

    private Access(Predicate<InetAddress> isAllowed, Networks trusted) {
        this.isAllowed = isAllowed;
        this.trusted = trusted;
    }

    /// Those in these networks.
    public static Access only(Networks allowed) {
        return when(allowed::contains);
    }

    /// Those that are in none of these networks.
    public static Access except(Networks denied) {
        return when(address -> !denied.contains(address));
    }

    /// Those of which this is true; asked on whatever thread handles requests, so it must not block.
    public static Access when(Predicate<InetAddress> isAllowed) {
        return new Access(isAllowed, Networks.NONE);
    }

    /// Proxies that are believed when they say whom they serve (`X-Forwarded-For`).
    public Access trusting(Networks proxies) {
        return new Access(isAllowed, proxies);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var client = ClientAddress.of(request, trusted);
            return client.isPresent() && isAllowed.test(client.get()) ? next.handle(request) : REFUSED;
        };
    }
}
