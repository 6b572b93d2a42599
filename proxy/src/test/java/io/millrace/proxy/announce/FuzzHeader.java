package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;

/// The beginning of a connection: the same wherever it is cut, and as the specification says, read a second time
/// with a regular expression and whole arrays.
public final class FuzzHeader {
    private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final String IPV4 = "(" + BYTE + "(?:\\." + BYTE + "){3})";
    private static final String IPV6 = "((?=[^ ]*:)[0-9a-fA-F:.]{2,45})";
    private static final String PORT = "(0|[1-9]\\d{0,4})";
    private static final Pattern LINE = Pattern.compile("PROXY (?:UNKNOWN(?: [^\\r\\n]*)?|TCP4 " + IPV4 + " " + IPV4
            + " " + PORT + " " + PORT + "|TCP6 " + IPV6 + " " + IPV6 + " " + PORT + " " + PORT + ")\\r\\n");
    private static final byte[] MAGIC = "\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final int SOME = 3;

    private FuzzHeader() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var whole = Reading.inPieces(input);
        var random = new Random(Arrays.hashCode(input));
        for (int i = 0; i < SOME && input.length > 1; i++) {
            var cuts = random.ints(1 + random.nextInt(4), 1, input.length)
                    .sorted()
                    .distinct()
                    .toArray();
            assertEquals(whole, Reading.inPieces(input, cuts));
        }
        var strict = strict(input);
        boolean isRead =
                !whole.outcome().equals(Reading.REFUSED) && !whole.outcome().equals(Reading.INCOMPLETE);
        assertEquals(strict, isRead ? Optional.of(whole) : Optional.empty());
    }

    private static Optional<Reading.Verdict> strict(byte[] input) {
        return input.length > 0 && input[0] == 'P' ? line(input) : binary(input, ByteBuffer.wrap(input));
    }

    private static Optional<Reading.Verdict> line(byte[] input) {
        var match = LINE.matcher(new String(input, StandardCharsets.ISO_8859_1));
        if (!match.lookingAt() || match.end() > 107) return Optional.empty();
        if (match.start(1) < 0 && match.start(5) < 0) return verdict("nobody", "nobody", match.end());
        int from = match.start(1) < 0 ? 5 : 1;
        try {
            var source = new InetSocketAddress(ip(match.group(from)), Integer.parseInt(match.group(from + 2)));
            var destination = new InetSocketAddress(ip(match.group(from + 1)), Integer.parseInt(match.group(from + 3)));
            return verdict(source.toString(), destination.toString(), match.end());
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static InetAddress ip(String text) {
        return InetAddress.ofLiteral(text);
    }

    private static Optional<Reading.Verdict> verdict(String source, String destination, int end) {
        return Optional.of(new Reading.Verdict(source + " to " + destination, end));
    }

    private static Optional<Reading.Verdict> binary(byte[] bytes, ByteBuffer in) {
        if (in.remaining() < 16 || !Arrays.equals(bytes, 0, 12, MAGIC, 0, 12)) return Optional.empty();
        int command = in.get(12) & 0xff;
        int family = in.get(13) & 0xff;
        int end = 16 + (in.getShort(14) & 0xffff);
        if (end > Reading.MOST_BYTES || end > in.limit()) return Optional.empty();
        if (command == 0x20) return verdict("nobody", "nobody", end);
        if (command != 0x21 || family > 0x32 || family % 16 > 2) return Optional.empty();
        if (family < 16) return verdict("nobody", "nobody", end);
        int size = new int[] {0, 4, 16, 108}[family / 16];
        int ports = family / 16 == 3 ? 0 : 2;
        int values = 16 + 2 * (size + ports);
        if (values > end || !areValues(bytes, in, values, end)) return Optional.empty();
        return verdict(end(bytes, in, 16, size, 16 + 2 * size), end(bytes, in, 16 + size, size, 18 + 2 * size), end);
    }

    private static boolean areValues(byte[] bytes, ByteBuffer in, int from, int end) {
        int checksums = 0;
        boolean isRight = true;
        int at = from;
        while (at + 3 <= end) {
            int next = at + 3 + (in.getShort(at + 1) & 0xffff);
            if (next > end) return false;
            if (in.get(at) == 3) {
                checksums++;
                if (next != at + 7) return false;
                var zeroed = Arrays.copyOf(bytes, end);
                Arrays.fill(zeroed, at + 3, next, (byte) 0);
                isRight = BinaryHeader.crc(zeroed) == in.getInt(at + 3);
            }
            at = next;
        }
        return at == end && checksums < 2 && isRight;
    }

    private static String end(byte[] all, ByteBuffer in, int at, int size, int port) {
        var bytes = Arrays.copyOfRange(all, at, at + size);
        if (size < 108) return new InetSocketAddress(Ip.of(bytes), in.getShort(port) & 0xffff).toString();
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        var path = text.indexOf(0) < 0 ? text : text.substring(0, text.indexOf(0));
        return path.matches("[ -~]+") ? java.nio.file.Path.of(path).toString() : "nobody";
    }
}
