package io.millrace.proxy;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.h1.HopByHop;
import io.millrace.http.h1.PassedHead;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.List;

/// What a proxy changes in the messages that it passes on (RFC 9110 section 7.6). Fields of one hop are left out
/// both ways, whatever is chosen here. Immutable; each method returns a copy.
///
/// `X-Forwarded-For`, `-Proto` and `-Host` tell the backend whom we serve. What a client says there of its own is
/// believed, and added to, only if the client is in one of the trusted networks; otherwise it is replaced.
public final class Forwarding {
    private static final List<String> TOLD =
            List.of("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded");
    private static final Forwarding STANDARD = new Forwarding(Networks.NONE, true, "1.1 millrace", true);

    private final Networks trusted;
    private final boolean isTelling;
    private final String via;
    private final boolean keepsHost;

    private Forwarding(Networks trusted, boolean isTelling, String via, boolean keepsHost) {
        this.trusted = trusted;
        this.isTelling = isTelling;
        this.via = via;
        this.keepsHost = keepsHost;
    }

    /// Nobody is trusted, the backend is told, and sees the client's `Host`.
    public static Forwarding standard() {
        return STANDARD;
    }

    /// Believes what clients in these networks, other proxies, say of theirs.
    public Forwarding trusting(Networks networks) {
        return new Forwarding(networks, isTelling, via, keepsHost);
    }

    /// Says nothing of clients, and passes on what they say of themselves.
    public Forwarding silent() {
        return new Forwarding(trusted, false, via, keepsHost);
    }

    /// What stands in `Via` (RFC 9110 section 7.6.3); `millrace` otherwise.
    ///
    /// @throws IllegalArgumentException for a name that may not stand there
    public Forwarding named(String pseudonym) {
        var _ = Headers.EMPTY.with(pseudonym, "");
        return new Forwarding(trusted, isTelling, "1.1 " + pseudonym, keepsHost);
    }

    /// Asks the backend for its own address in `Host`, and not for what the client asked for.
    public Forwarding ownHost() {
        return new Forwarding(trusted, isTelling, via, false);
    }

    /// The head of a request for a backend.
    ///
    /// @param authority of the backend
    /// @param bodyLength as of [PassedHead#end]
    /// @param upgrade the protocol that is asked for, or empty
    byte[] head(Request request, String authority, long bodyLength, boolean expectsContinue, String upgrade) {
        var asked = request.header("Host").orElse(authority);
        var head = new PassedHead(request, request.path(), keepsHost ? asked : authority);
        if (isTelling) tell(head, request, asked);
        else head.fields(request, List.of());
        if (!upgrade.isEmpty()) head.upgrade(upgrade);
        return head.field("Via", via).end(bodyLength, expectsContinue);
    }

    private void tell(PassedHead head, Request request, String asked) {
        boolean isTrusted = request.remote() instanceof InetSocketAddress from && trusted.contains(from.getAddress());
        head.fields(request, isTrusted ? List.of() : TOLD);
        head.field("X-Forwarded-For", client(request));
        if (isTrusted && request.header("X-Forwarded-Proto").isPresent()) return;
        head.field("X-Forwarded-Proto", "http").field("X-Forwarded-Host", asked);
    }

    private static String client(Request request) {
        if (!(request.remote() instanceof InetSocketAddress from)) return "unknown";
        var text = from.getAddress().getHostAddress();
        // A zone is ours, and nobody else's.
        return from.getAddress() instanceof Inet6Address && text.indexOf('%') >= 0
                ? text.substring(0, text.indexOf('%'))
                : text;
    }

    /// The fields of a backend's response, for the client.
    Headers response(Headers received) {
        return HopByHop.endToEnd(received, "Via", via);
    }
}
