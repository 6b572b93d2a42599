package io.millrace.http.grammar;

import java.net.InetAddress;
import java.util.Locale;

/// A host with an optional port (RFC 3986 section 3.2, RFC 9112 section 3.2): without a user, and never empty.
public final class Authority {
    private static final int MOST_PORT = 0xffff;

    private Authority() {}

    /// Checks a host and port.
    ///
    /// @throws Refusal if they are malformed
    public static void check(byte[] bytes, int from, int length) throws Refusal {
        int end = from + length;
        int at = from < end && bytes[from] == '[' ? ipLiteral(bytes, from, end) : name(bytes, from, end);
        if (at == from) throw new Refusal(400, "an empty host");
        if (at < end && (bytes[at] != ':' || !isPort(bytes, at + 1, end))) {
            throw new Refusal(400, "a host with an invalid character, or an invalid port");
        }
    }

    private static int name(byte[] bytes, int from, int end) throws Refusal {
        int at = from;
        while (at < end && isNameCharacter(bytes[at])) {
            if (bytes[at] == '%') {
                boolean isEscape = at + 2 < end && Syntax.isHex(bytes[at + 1]) && Syntax.isHex(bytes[at + 2]);
                if (!isEscape) throw new Refusal(400, "a host with a malformed escape");
                // Programs that decode it see another host than those that do not.
                boolean isAscii = Syntax.hex(bytes[at + 1], bytes[at + 2]) < 0x80;
                if (isAscii) throw new Refusal(400, "a host with an escape that is not needed");
            }
            at++;
        }
        return at;
    }

    private static boolean isNameCharacter(byte b) {
        return Syntax.isPath(b) && b != '/' && b != ':' && b != '@';
    }

    /// Addresses with a zone, or of a future version, are not supported.
    private static int ipLiteral(byte[] bytes, int from, int end) throws Refusal {
        int at = from + 1;
        while (at < end && (Syntax.isHex(bytes[at]) || bytes[at] == ':' || bytes[at] == '.')) at++;
        if (at == end || bytes[at] != ']' || !isIpv6(Syntax.latin1(bytes, from + 1, at - from - 1))) {
            throw new Refusal(400, "a host that is not an IPv6 address");
        }
        return at + 1;
    }

    private static boolean isIpv6(String text) {
        try {
            // An IPv4-mapped address is parsed as IPv4.
            return text.indexOf(':') >= 0 && InetAddress.ofLiteral(text).getAddress().length > 0;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static boolean isPort(byte[] bytes, int from, int end) {
        if (from == end || end - from > 5) return false;
        int port = 0;
        for (int i = from; i < end; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') return false;
            port = 10 * port + bytes[i] - '0';
        }
        return port <= MOST_PORT;
    }

    /// Where the host ends, and the port may follow, of an authority that was checked.
    public static int endOfHost(String authority) {
        int close = authority.startsWith("[") ? authority.indexOf(']') : -1;
        if (close > 0) return close + 1;
        int colon = authority.indexOf(':');
        return colon < 0 ? authority.length() : colon;
    }

    /// In small letters, and without its scheme's default port.
    public static String normalised(String authority, String scheme) {
        var small = authority.toLowerCase(Locale.ROOT);
        var port = scheme.equals("https") ? ":443" : ":80";
        return small.endsWith(port) ? small.substring(0, small.length() - port.length()) : small;
    }
}
