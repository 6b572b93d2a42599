package io.millrace.http.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Changes inputs a little, without looking at what they do: enough for a short run. One that is guided by
/// coverage is left to those who do that well (`make fuzz`).
final class Mutations {
    private static final int MOST_BYTES = 4096;
    private static final List<byte[]> PIECES = List.of(
            Escaped.bytes("\\r\\n"),
            Escaped.bytes("\\r\\n\\r\\n"),
            Escaped.bytes("\\n"),
            Escaped.bytes("\\r"),
            Escaped.bytes("\\0"),
            Escaped.bytes("\\xff"),
            Escaped.bytes(" "),
            Escaped.bytes("\\t"),
            Escaped.bytes(":"),
            Escaped.bytes(";"),
            Escaped.bytes(","),
            Escaped.bytes("="),
            Escaped.bytes("\""),
            Escaped.bytes("%2f"),
            Escaped.bytes("/../"),
            Escaped.bytes("0"),
            Escaped.bytes("7fffffff"),
            Escaped.bytes("Content-Length: 3\\r\\n"),
            Escaped.bytes("Transfer-Encoding: chunked\\r\\n"),
            Escaped.bytes("Host: a\\r\\n"),
            Escaped.bytes("\\r\\n0\\r\\n\\r\\n"),
            Escaped.bytes("\\r\\n--b"));

    private final Random random;
    private final List<byte[]> seeds;

    Mutations(long seed, List<byte[]> seeds) {
        this.random = new Random(seed);
        this.seeds = seeds;
    }

    /// One of the seeds, changed in a few places.
    byte[] next() {
        var bytes = oneOf(seeds);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) bytes = changed(bytes);
        return bytes.length <= MOST_BYTES ? bytes : Arrays.copyOf(bytes, MOST_BYTES);
    }

    private byte[] changed(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        int to = Math.min(bytes.length, from + random.nextInt(1 + random.nextInt(32)));
        return switch (random.nextInt(6)) {
            case 0 -> spliced(bytes, from, to, new byte[0]);
            case 1 -> spliced(bytes, from, from, Arrays.copyOfRange(bytes, from, to));
            case 2 -> spliced(bytes, from, to, oneOf(PIECES));
            case 3 -> spliced(bytes, from, from, oneOf(PIECES));
            case 4 -> spliced(bytes, from, Math.min(bytes.length, from + 1), new byte[] {(byte) random.nextInt(256)});
            default -> {
                var other = oneOf(seeds);
                yield spliced(bytes, from, bytes.length, behind(other, random.nextInt(other.length + 1)));
            }
        };
    }

    private byte[] oneOf(List<byte[]> all) {
        return all.get(random.nextInt(all.size()));
    }

    private static byte[] behind(byte[] bytes, int from) {
        return Arrays.copyOfRange(bytes, from, bytes.length);
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] instead) {
        var changed = new byte[bytes.length - (to - from) + instead.length];
        System.arraycopy(bytes, 0, changed, 0, from);
        System.arraycopy(instead, 0, changed, from, instead.length);
        System.arraycopy(bytes, to, changed, from + instead.length, bytes.length - to);
        return changed;
    }
}
