package io.millrace.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Changes inputs a little, without looking at what they do: enough for a short run. One that is guided by
/// coverage is left to those who do that well (`make fuzz`).
public final class Mutations {
    private final Random random;
    private final List<byte[]> seeds;
    private final List<byte[]> pieces;
    private final int mostBytes;

    /// @param seeds  what is changed
    /// @param pieces what means something there, to be put in anywhere
    /// @param mostBytes of a changed one
    public Mutations(long seed, List<byte[]> seeds, List<byte[]> pieces, int mostBytes) {
        this.random = new Random(seed);
        this.seeds = seeds;
        this.pieces = pieces;
        this.mostBytes = mostBytes;
    }

    /// One of the seeds, changed in a few places.
    public byte[] next() {
        var bytes = oneOf(seeds);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) bytes = changed(bytes);
        return bytes.length <= mostBytes ? bytes : Arrays.copyOf(bytes, mostBytes);
    }

    private byte[] changed(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        int to = Math.min(bytes.length, from + random.nextInt(1 + random.nextInt(32)));
        return switch (random.nextInt(6)) {
            case 0 -> spliced(bytes, from, to, new byte[0]);
            case 1 -> spliced(bytes, from, from, Arrays.copyOfRange(bytes, from, to));
            case 2 -> spliced(bytes, from, to, oneOf(pieces));
            case 3 -> spliced(bytes, from, from, oneOf(pieces));
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
