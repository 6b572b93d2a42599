package io.millrace.proxy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Some networks of IP addresses, in the notation of RFC 4632 and RFC 4291: `10.0.0.0/8`, `2001:db8::/32`, `::1`.
/// Immutable.
public final class Networks {
    @SuppressWarnings("ArrayRecordComponent") // nobody changes it
    private record Network(byte[] address, int bits) {
        boolean contains(byte[] other) {
            if (other.length != address.length) return false;
            int whole = bits / 8;
            if (!Arrays.equals(address, 0, whole, other, 0, whole)) return false;
            if (bits % 8 == 0) return true;
            int mask = 0xff << (8 - bits % 8) & 0xff;
            return (address[whole] & mask) == (other[whole] & mask);
        }
    }

    /// No address at all.
    public static final Networks NONE = new Networks(List.of());

    /// Every address.
    public static final Networks ALL = of("0.0.0.0/0", "::/0");

    private final List<Network> networks;

    private Networks(List<Network> networks) {
        this.networks = networks;
    }

    /// Several networks, and single addresses.
    ///
    /// @throws IllegalArgumentException for one that is none, with the remedy
    public static Networks of(String... texts) {
        var all = new ArrayList<Network>();
        for (var text : texts) all.add(network(text));
        return new Networks(List.copyOf(all));
    }

    private static Network network(String text) {
        int slash = text.indexOf('/');
        var host = slash < 0 ? text : text.substring(0, slash);
        byte[] address;
        try {
            address = InetAddress.ofLiteral(host).getAddress();
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no network: take an address, or one with a length, 10.0.0.0/8 for instance");
        }
        int most = 8 * address.length;
        int bits = slash < 0 ? most : length(text, text.substring(slash + 1), most);
        for (int bit = bits; bit < most; bit++) {
            if ((address[bit / 8] >> (7 - bit % 8) & 1) == 0) continue;
            throw new IllegalArgumentException(
                    "'" + text + "' has bits behind its length: take /" + most + " for one address, or clear them");
        }
        return new Network(address, bits);
    }

    private static int length(String text, String digits, int most) {
        boolean isNumber =
                !digits.isEmpty() && digits.length() <= 3 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int bits = isNumber ? Integer.parseInt(digits) : -1;
        if (bits >= 0 && bits <= most) return bits;
        throw new IllegalArgumentException("'" + text + "' has a length that is none: take 0 to " + most);
    }

    /// Whether one of them has this address. An IPv4 address is never in a network of IPv6.
    public boolean contains(InetAddress address) {
        if (networks.isEmpty()) return false;
        var bytes = address.getAddress();
        for (int i = 0; i < networks.size(); i++) if (networks.get(i).contains(bytes)) return true;
        return false;
    }

    public boolean isEmpty() {
        return networks.isEmpty();
    }
}
