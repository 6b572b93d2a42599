package io.millrace.lab.load;

/// A number for each of many things that follow each other, from when it begins until it ends. Most end in the order
/// in which they began: a ring, which doubles when one that has not ended is in the way.
final class InFlight {
    /// What there is for a thing that has ended, or not begun.
    static final long NONE = Long.MIN_VALUE;

    private long[] ring;

    /// @param atOnce how many there usually are at once
    InFlight(int atOnce) {
        ring = empty(Integer.highestOneBit(Math.max(1, 2 * atOnce - 1)));
    }

    private static long[] empty(int length) {
        var made = new long[length];
        java.util.Arrays.fill(made, NONE);
        return made;
    }

    /// @param index one above that of the thing that began last
    void begin(long index, long value) {
        while (ring[slot(index, ring)] != NONE) grow(index);
        ring[slot(index, ring)] = value;
    }

    private static int slot(long index, long[] in) {
        return (int) index & in.length - 1;
    }

    /// What is there began at most a whole ring before.
    private void grow(long next) {
        var larger = empty(2 * ring.length);
        for (long index = next - ring.length; index < next; index++)
            larger[slot(index, larger)] = ring[slot(index, ring)];
        ring = larger;
    }

    /// @param index of a thing that has begun
    long get(long index, long begun) {
        return begun - index > ring.length ? NONE : ring[slot(index, ring)];
    }

    /// @param index of a thing that has not ended
    void set(long index, long value) {
        ring[slot(index, ring)] = value;
    }

    /// @param index of a thing that has not ended
    void end(long index) {
        set(index, NONE);
    }
}
