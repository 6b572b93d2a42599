package io.millrace.proxy;

import io.millrace.proxy.upstream.HostPort;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Where `CONNECT` may lead.
///
/// @param exact in lower case
/// @param below the part of a wildcard after its star: `.internal:443`
record ConnectTargets(Set<String> exact, Set<String> below) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*:[0-9]+");

    /// @throws IllegalArgumentException for an invalid one
    static ConnectTargets of(Collection<String> texts) {
        var exact = new HashSet<String>();
        var below = new HashSet<String>();
        for (var text : texts) {
            boolean isWildcard = text.startsWith("*.");
            var _ = HostPort.parse(isWildcard ? text.substring(2) : text);
            var small = text.toLowerCase(Locale.ROOT);
            if (isWildcard) below.add(small.substring(1));
            else exact.add(small);
        }
        return new ConnectTargets(Set.copyOf(exact), Set.copyOf(below));
    }

    /// An allowed server.
    ///
    /// @param isNamed whether the list names it, so that its address does not matter
    record ConnectTarget(InetSocketAddress address, boolean isNamed) {}

    /// @param authority host and port, well formed
    Optional<ConnectTarget> find(String authority) {
        // An absolute name may end with a dot.
        var small = authority.toLowerCase(Locale.ROOT).replace(".:", ":");
        boolean isNamed = exact.contains(small);
        if (!isNamed && !isBelow(small)) return Optional.empty();
        var address = HostPort.parse(small);
        // An IP address is not below a domain, though it may look like it.
        return isNamed || address.isUnresolved() ? Optional.of(new ConnectTarget(address, isNamed)) : Optional.empty();
    }

    private boolean isBelow(String authority) {
        if (below.isEmpty() || !NAME.matcher(authority).matches()) return false;
        for (int dot = authority.indexOf('.'); dot >= 0; dot = authority.indexOf('.', dot + 1)) {
            if (below.contains(authority.substring(dot))) return true;
        }
        return false;
    }
}
