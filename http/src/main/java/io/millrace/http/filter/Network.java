package io.millrace.http.filter;

import java.net.InetAddress;
import java.util.regex.Pattern;

/// A block of IP addresses (RFC 4632, RFC 4291 section 2.3). An IPv4 address mapped to IPv6 counts as IPv4.
///
/// @param base its first address
/// @param bits the length of the prefix that all of its addresses share
public record Network(InetAddress base, int bits) {
    /// The form of the text. Forms with fewer dots, which programs read differently, do not match.
    public static final String FORM = "(([0-9]{1,3}\\.){3}[0-9]{1,3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]+)(/[0-9]{1,3})?";

    /// An address, or one with a prefix length: `10.0.0.0/8`, `::1`.
    ///
    /// @throws IllegalArgumentException with the error and the remedy
    public static Network of(String text) {
        if (!Pattern.matches(FORM, text))
            throw new IllegalArgumentException("not a network: write one like 10.0.0.0/8");
        int slash = text.indexOf('/');
        var base = address(slash < 0 ? text : text.substring(0, slash));
        int most = 8 * base.getAddress().length;
        int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
        if (bits > most)
            throw new IllegalArgumentException("an address of this kind has " + most + " bits: take at most that");
        var network = new Network(base, bits);
        if (network.isFirst()) return network;
        throw new IllegalArgumentException("the address has bits set after the first " + bits
                + ": write the first address of the network, or more bits");
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(text + " is not an address: write one like 10.0.0.1 or fd00::1", e);
        }
    }

    private boolean isFirst() {
        var bytes = base.getAddress();
        for (int bit = bits; bit < 8 * bytes.length; bit++) {
            if ((bytes[bit >> 3] & (0x80 >> (bit & 7))) != 0) return false;
        }
        return true;
    }

    /// Whether the network contains an address.
    public boolean contains(InetAddress address) {
        var mine = base.getAddress();
        var other = address.getAddress();
        if (mine.length != other.length) return false;
        int whole = bits >> 3;
        for (int i = 0; i < whole; i++) if (mine[i] != other[i]) return false;
        int rest = bits & 7;
        return rest == 0 || ((mine[whole] ^ other[whole]) & 0xff) >> (8 - rest) == 0;
    }

    @Override
    public String toString() {
        return base.getHostAddress() + "/" + bits;
    }
}
