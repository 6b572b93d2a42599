package io.millrace.sim.network;

/// The chunks of one direction that are on their way, in order, and the moment at which each arrives. A network of
/// single bytes has tens of thousands of them, so that only the first is among its events.
final class UnderWay {
    private static final int FIRST_CHUNKS = 16;
    private static final int LONGS = 3;

    /// For each chunk when it arrives, its place among the network's events, and how many bytes it has.
    private long[] ring = new long[LONGS * FIRST_CHUNKS];

    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void add(long atNanos, long order, int bytes) {
        if (LONGS * size == ring.length) grow();
        int at = LONGS * ((first + size) & (chunks() - 1));
        ring[at] = atNanos;
        ring[at + 1] = order;
        ring[at + 2] = bytes;
        size++;
    }

    long atNanos() {
        return ring[LONGS * first];
    }

    long order() {
        return ring[LONGS * first + 1];
    }

    /// Takes the first, and returns how many bytes it has.
    int remove() {
        int bytes = (int) ring[LONGS * first + 2];
        first = (first + 1) & (chunks() - 1);
        size--;
        return bytes;
    }

    private int chunks() {
        return ring.length / LONGS;
    }

    private void grow() {
        var grown = new long[2 * ring.length];
        int untilEnd = ring.length - LONGS * first;
        System.arraycopy(ring, LONGS * first, grown, 0, untilEnd);
        System.arraycopy(ring, 0, grown, untilEnd, LONGS * first);
        ring = grown;
        first = 0;
    }
}
