package io.millrace.proxy.operation;

import io.millrace.http.Request;
import io.millrace.proxy.Networks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// Who asks: the peer, or who asked the peer if that is a proxy that we trust to say so (`X-Forwarded-For`).
///
/// ```
///   X-Forwarded-For: whatever the client says, client, proxy A      ── from proxy B
///                                              ▲       trusted         trusted
///                                              └── it
/// ```
public final class ClientAddress {
    private static final String FIELD = "X-Forwarded-For";
    private static final int LONGEST = 64;

    private ClientAddress() {}

    /// The address; empty when the peer has none, on a Unix socket for instance.
    public static Optional<InetAddress> of(Request request, Networks trusted) {
        if (!(request.remote() instanceof InetSocketAddress peer)) return Optional.empty();
        var address = peer.getAddress();
        boolean isProxy = trusted.contains(address) && request.header(FIELD).isPresent();
        return Optional.of(isProxy ? behind(address, request.headers().all(FIELD), trusted) : address);
    }

    /// From the last one on, as each says who asked it, until somebody is not trusted or says nothing that makes
    /// sense.
    private static InetAddress behind(InetAddress peer, List<String> lines, Networks trusted) {
        var last = peer;
        for (int i = lines.size() - 1; i >= 0; i--) {
            var names = lines.get(i).split(",", -1);
            for (int n = names.length - 1; n >= 0; n--) {
                var told = parsed(names[n].strip());
                if (told.isEmpty()) return last;
                last = told.get();
                if (!trusted.contains(last)) return last;
            }
        }
        return last;
    }

    /// An address, perhaps with a port, as some proxies write it.
    private static Optional<InetAddress> parsed(String text) {
        var host = withoutPort(text);
        boolean isV6 = host.indexOf(':') >= 0;
        // Forms with fewer dots, and zones, mean something else to everybody.
        boolean isForm = host.length() <= LONGEST
                && host.indexOf('%') < 0
                && (isV6 || host.chars().filter(c -> c == '.').count() == 3);
        if (!isForm) return Optional.empty();
        try {
            return Optional.of(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static String withoutPort(String text) {
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            return end < 0 ? text : text.substring(1, end);
        }
        int colon = text.indexOf(':');
        return colon >= 0 && colon == text.lastIndexOf(':') ? text.substring(0, colon) : text;
    }
}
