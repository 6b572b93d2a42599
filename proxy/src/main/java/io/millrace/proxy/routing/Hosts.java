package io.millrace.proxy.routing;

import io.millrace.http.grammar.Authority;
import java.net.InetAddress;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Values by host name, in the form of routes: `a.example.org`, or `*.example.org` for all names below.
/// Immutable.
///
/// ```
///   for (int at = 0; at >= 0; at = Hosts.next(host, at, end)) hosts.at(host, at, end)      most specific first
///
///   a.b.example.org        at = 0: a.b.example.org itself
///     b.example.org        at = 2: *.b.example.org
///       example.org        at = 4: *.example.org
/// ```
final class Hosts<V> {
    private static final String WILDCARD = "*.";

    private final Regions<V> named;

    /// By what follows the star and its dot.
    private final Regions<V> below;

    private Hosts(Map<String, V> named, Map<String, V> below) {
        this.named = Regions.ignoringCase(named);
        this.below = Regions.ignoringCase(below);
    }

    /// @param values by host, in lower case
    static <V> Hosts<V> of(Map<String, V> values) {
        var named = new TreeMap<String, V>();
        var below = new TreeMap<String, V>();
        values.forEach((host, value) -> {
            if (host.startsWith(WILDCARD)) below.put(host.substring(WILDCARD.length()), value);
            else named.put(compared(host), value);
        });
        return new Hosts<>(named, below);
    }

    /// A Host field in its form for comparison: IPv6 addresses have a single form.
    static String compared(String authority) {
        int close = authority.startsWith("[") ? authority.indexOf(']') : -1;
        if (close < 0) return authority;
        return "[" + InetAddress.ofLiteral(authority.substring(1, close)).getHostAddress() + "]";
    }

    /// Where the name ends: before the port, and before the dot that an absolute name ends with.
    ///
    /// @param host the result of [#compared]
    static int end(String host) {
        int end = Authority.endOfHost(host);
        return end > 0 && host.charAt(end - 1) == '.' ? end - 1 : end;
    }

    /// The value of the name, or of a wildcard for what begins at a position.
    @Nullable
    V at(String host, int at, int end) {
        return (at == 0 ? named : below).find(host, at, end);
    }

    /// The next, less specific position, or -1.
    static int next(String host, int at, int end) {
        int dot = host.indexOf('.', at);
        return dot <= 0 || dot >= end ? -1 : dot + 1;
    }
}
