package io.millrace.http.filter;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Predicate;

/// Lets some addresses through; others are answered with 403. A client without an address, on a Unix socket for
/// instance, is in no network: [#only] refuses it, and [#except] lets it through. Immutable.
public final class Access implements HttpFilter {
    private static final Response REFUSED = Response.status(403);

    private final Predicate<InetAddress> isAllowed;
    private final boolean takesUnknown;

    private Access(Predicate<InetAddress> isAllowed, boolean takesUnknown) {
        this.isAllowed = isAllowed;
        this.takesUnknown = takesUnknown;
    }

    /// Lets the addresses in these networks through.
    public static Access only(Networks allowed) {
        return when(allowed::contains);
    }

    /// Lets the addresses outside these networks through.
    public static Access except(Networks denied) {
        return new Access(address -> !denied.contains(address), true);
    }

    /// Lets the addresses for which this is true through; called on the threads that handle requests, so it must
    /// not block.
    public static Access when(Predicate<InetAddress> isAllowed) {
        return new Access(isAllowed, false);
    }

    /// Lets the addresses through that both filters let through.
    public Access and(Access other) {
        return new Access(isAllowed.and(other.isAllowed), takesUnknown && other.takesUnknown);
    }

    /// Whether it lets a client through; can be used for connections, too.
    public boolean allows(SocketAddress client) {
        return client instanceof InetSocketAddress from ? isAllowed.test(from.getAddress()) : takesUnknown;
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> allows(request.remote()) ? next.handle(request) : REFUSED;
    }
}
