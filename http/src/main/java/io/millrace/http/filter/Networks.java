package io.millrace.http.filter;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/// Some networks of IP addresses, in the notation of RFC 4632 and RFC 4291: `10.0.0.0/8`, `2001:db8::/32`, `::1`.
/// Immutable; two of the same networks in the same order are equal.
public final class Networks {
    /// No address at all.
    public static final Networks NONE = of(List.of());

    /// Every address.
    public static final Networks ALL = of("0.0.0.0/0", "::/0");

    private final List<Network> networks;

    private Networks(List<Network> networks) {
        this.networks = networks;
    }

    /// Networks and single addresses.
    ///
    /// @throws IllegalArgumentException for an invalid one, with the remedy
    public static Networks of(String... texts) {
        return of(Arrays.stream(texts).map(Networks::network).toList());
    }

    /// These networks.
    public static Networks of(List<Network> networks) {
        return new Networks(List.copyOf(networks));
    }

    private static Network network(String text) {
        try {
            return Network.of(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "': " + e.getMessage(), e);
        }
    }

    /// One by one.
    public List<Network> list() {
        return networks;
    }

    public boolean isEmpty() {
        return networks.isEmpty();
    }

    /// Whether one of them contains this address. An IPv4 address is never in an IPv6 network.
    public boolean contains(InetAddress address) {
        for (int i = 0; i < networks.size(); i++) if (networks.get(i).contains(address)) return true;
        return false;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Networks other && networks.equals(other.networks);
    }

    @Override
    public int hashCode() {
        return networks.hashCode();
    }

    @Override
    public String toString() {
        return networks.toString();
    }
}
