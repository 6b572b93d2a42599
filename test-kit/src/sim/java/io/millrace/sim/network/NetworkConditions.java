package io.millrace.sim.network;

/// How a [MemoryNetwork] treats what is sent through it. May be changed at any time, for what happens afterwards.
public final class NetworkConditions {
    private static final long LEAST_DELAY_NANOS = 1_000;

    private long minDelayNanos;
    private long maxDelayNanos;
    private int minChunkBytes = 1;
    private int maxChunkBytes;
    private int minBufferBytes;
    private int maxBufferBytes;
    private long bytesPerSecond = Long.MAX_VALUE;
    private double partialWrites;
    private double resets;
    private double refusals;
    private double silences;

    /// Varied conditions: delays, chunks, buffers and partial writes of every order of magnitude, but nothing
    /// is ever lost.
    public static NetworkConditions shaken(Luck luck) {
        var conditions = new NetworkConditions();
        conditions.delays(LEAST_DELAY_NANOS, luck.magnitude(LEAST_DELAY_NANOS, 50_000_000));
        conditions.chunks(1, (int) luck.magnitude(1, 64 << 10));
        int buffer = (int) luck.magnitude(1 << 10, 256 << 10);
        conditions.buffers((int) luck.magnitude(512, buffer), buffer);
        conditions.partialWrites(luck.share() / 2);
        return conditions;
    }

    /// How long each chunk travels. At least a microsecond, so that time passes in every exchange.
    public void delays(long minNanos, long maxNanos) {
        if (minNanos < 0 || maxNanos < minNanos) {
            throw new IllegalArgumentException(
                    "delays from " + minNanos + " to " + maxNanos + " ns: give 0 or more, the longer one last");
        }
        minDelayNanos = Math.max(LEAST_DELAY_NANOS, minNanos);
        maxDelayNanos = Math.max(LEAST_DELAY_NANOS, maxNanos);
    }

    /// How many bytes travel together.
    public void chunks(int minBytes, int maxBytes) {
        minChunkBytes = positive(minBytes, maxBytes, "chunks");
        maxChunkBytes = maxBytes;
    }

    /// How much a socket holds in each direction.
    public void buffers(int minBytes, int maxBytes) {
        minBufferBytes = positive(minBytes, maxBytes, "socket buffers");
        maxBufferBytes = maxBytes;
    }

    /// How fast each direction of a connection is.
    public void bandwidth(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("a bandwidth of " + bytesPerSecond + " bytes/s: give it 1 or more");
        }
        this.bytesPerSecond = bytesPerSecond;
    }

    /// How often a socket takes less than it has room for.
    public void partialWrites(double probability) {
        partialWrites = probability(probability, "partial writes");
    }

    /// What share of connections is reset, each at a random point.
    public void resets(double probability) {
        resets = probability(probability, "resets");
    }

    /// What share of attempts to connect is refused.
    public void refusals(double probability) {
        refusals = probability(probability, "refusals");
    }

    /// What share of attempts to connect gets no answer.
    public void silences(double probability) {
        silences = probability(probability, "silences");
    }

    private static int positive(int min, int max, String what) {
        if (min >= 1 && max >= min) return min;
        throw new IllegalArgumentException(
                what + " from " + min + " to " + max + " bytes: give 1 or more, the larger one last");
    }

    private static double probability(double value, String of) {
        if (value >= 0 && value <= 1) return value;
        throw new IllegalArgumentException("a probability of " + value + " for " + of + ": give it 0 to 1");
    }

    long delayNanos(Luck luck) {
        return luck.between(minDelayNanos, maxDelayNanos);
    }

    int chunkBytes(Luck luck) {
        return (int) luck.magnitude(minChunkBytes, maxChunkBytes);
    }

    int bufferBytes(Luck luck) {
        return (int) luck.magnitude(minBufferBytes, maxBufferBytes);
    }

    /// How long a direction is busy with so many bytes.
    long transmissionNanos(int bytes) {
        return bytesPerSecond == Long.MAX_VALUE ? 0 : (long) (bytes * 1e9 / bytesPerSecond);
    }

    double partialWrites() {
        return partialWrites;
    }

    double resets() {
        return resets;
    }

    double refusals() {
        return refusals;
    }

    double silences() {
        return silences;
    }
}
