package io.millrace.proxy.announce;

import io.millrace.bytes.Input;
import io.millrace.net.ProtocolError;
import io.millrace.proxy.announce.HeaderReader.Announcement;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Version 1: a line of text (section 2.1 of the specification).
///
/// ```
///   PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n
///   PROXY UNKNOWN …\r\n
/// ```
final class LineHeader {
    /// With the line end.
    static final int MOST_BYTES = 107;

    private static final byte[] BEGINNING = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_IPV6_CHARACTERS = 45;

    private LineHeader() {}

    static Optional<Announcement> read(Input in) throws ProtocolError {
        if (!HeaderReader.beginsWith(in, BEGINNING)) return Optional.empty();
        int shown = (int) Math.min(in.remaining(), MOST_BYTES);
        var bytes = new byte[shown];
        in.peek(0, bytes, 0, shown);
        int end = BEGINNING.length;
        while (end < shown && bytes[end] != '\r' && bytes[end] != '\n') end++;
        if (end < shown && bytes[end] == '\n') throw new ProtocolError("a line that ends without a CR");
        if (end + 2 > MOST_BYTES) throw new ProtocolError("a line of more than " + MOST_BYTES + " bytes");
        if (end + 2 > shown) return Optional.empty();
        if (bytes[end + 1] != '\n') throw new ProtocolError("a CR in the middle of the line");
        var line = new String(bytes, BEGINNING.length, end - BEGINNING.length, StandardCharsets.ISO_8859_1);
        var announced = announcement(line);
        in.skip(end + 2);
        return Optional.of(announced);
    }

    private static Announcement announcement(String line) throws ProtocolError {
        if (line.equals("UNKNOWN") || line.startsWith("UNKNOWN ")) return Announcement.NOTHING;
        var words = line.split(" ", -1);
        boolean isIpv4 = words[0].equals("TCP4");
        if (words.length != 5 || (!isIpv4 && !words[0].equals("TCP6"))) {
            throw new ProtocolError("a line that is not PROXY TCP4|TCP6 source destination port port");
        }
        var source = new InetSocketAddress(address(words[1], isIpv4), port(words[3]));
        return Announcement.of(source, new InetSocketAddress(address(words[2], isIpv4), port(words[4])));
    }

    private static InetAddress address(String text, boolean isIpv4) throws ProtocolError {
        return isIpv4 ? ipv4(text) : ipv6(text);
    }

    /// Four numbers without leading zeros: other programs read `010` as 8, and `1.2` as `1.0.0.2`.
    private static InetAddress ipv4(String text) throws ProtocolError {
        var parts = text.split("\\.", -1);
        if (parts.length != 4) throw new ProtocolError("not an address of IPv4");
        var bytes = new byte[4];
        for (int i = 0; i < 4; i++) bytes[i] = (byte) number(parts[i], 255);
        return Ip.of(bytes);
    }

    private static InetAddress ipv6(String text) throws ProtocolError {
        boolean isPlain = text.length() <= MOST_IPV6_CHARACTERS
                && text.indexOf(':') >= 0
                && text.chars().allMatch(c -> c == ':' || c == '.' || (c < 0x80 && Character.digit(c, 16) >= 0));
        try {
            // No brackets and no zone, which Java would accept, and never a name.
            if (isPlain) return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException _) {
            // Refused below.
        }
        throw new ProtocolError("not an address of IPv6");
    }

    private static int port(String text) throws ProtocolError {
        return number(text, 0xffff);
    }

    private static int number(String text, int most) throws ProtocolError {
        boolean isNumber = !text.isEmpty()
                && text.length() <= 5
                && text.chars().allMatch(c -> c >= '0' && c <= '9')
                && (text.length() == 1 || text.charAt(0) != '0');
        int value = isNumber ? Integer.parseInt(text) : -1;
        if (value >= 0 && value <= most) return value;
        throw new ProtocolError("a number that is not in 0 to " + most);
    }

    /// The line for these addresses; `UNKNOWN` unless they are two IP addresses, so that no name or path
    /// gets into it.
    static byte[] of(SocketAddress source, SocketAddress destination) {
        var text = "UNKNOWN";
        if (Ip.isKnown(source) && Ip.isKnown(destination)) {
            var from = (InetSocketAddress) source;
            var to = (InetSocketAddress) destination;
            boolean isIpv4 = from.getAddress() instanceof Inet4Address && to.getAddress() instanceof Inet4Address;
            text = (isIpv4 ? "TCP4 " : "TCP6 ") + text(from, isIpv4) + " " + text(to, isIpv4) + " " + from.getPort()
                    + " " + to.getPort();
        }
        return ("PROXY " + text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(InetSocketAddress address, boolean isIpv4) {
        var host = address.getAddress().getHostAddress();
        if (!isIpv4 && address.getAddress() instanceof Inet4Address) return "::ffff:" + host;
        // A zone means something on this machine only.
        int zone = host.indexOf('%');
        return zone < 0 ? host : host.substring(0, zone);
    }
}
