package io.millrace.http;

/// Bodies of zeros that are written part by part, as there is room.
public final class ZeroBodies {
    private static final int PART_BYTES = 10_000;

    private ZeroBodies() {}

    public static BodyWriter zeros(long length) {
        var part = new byte[PART_BYTES];
        var left = new long[] {length};
        return out -> {
            out.write(part, 0, (int) Math.min(left[0], part.length));
            left[0] -= part.length;
            return left[0] > 0;
        };
    }
}
