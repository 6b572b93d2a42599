package io.millrace.http.operation;

/// Turns regular numbers into numbers that look random.
public final class Mix {
    /// 2⁶⁴ divided by the golden ratio: adding it repeatedly visits all numbers.
    public static final long STEP = 0x9e3779b97f4a7c15L;

    private Mix() {}

    /// A permutation of all longs in which each bit depends on all bits (the finalizer of MurmurHash3, in
    /// Stafford's 13th variant).
    public static long mix(long value) {
        value = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        value = (value ^ (value >>> 27)) * 0x94d049bb133111ebL;
        return value ^ (value >>> 31);
    }

    /// From 0 inclusive to `bound` exclusive.
    public static int below(int bound, long mixed) {
        return (int) (((mixed >>> 32) * bound) >>> 32);
    }

    /// From 0 inclusive to 1 exclusive.
    public static double share(long mixed) {
        return (mixed >>> 11) * 0x1p-53;
    }

    /// The same result for the same text in every process.
    public static long of(CharSequence text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) hash = mix(hash * 31 + text.charAt(i));
        return mix(hash + STEP);
    }
}
