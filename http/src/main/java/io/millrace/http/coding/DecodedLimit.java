package io.millrace.http.coding;

import io.millrace.net.Guard;

/// How much a compressed body may decompress to.
///
/// @param mostBytes decompressed
/// @param mostRatio decompressed bytes per compressed byte, for bodies that decompress to more than
///     [#FREE_BYTES]
/// @param bytes the guard of `mostBytes`
/// @param ratio the guard of `mostRatio`
/// @param remedy the advice in the message
public record DecodedLimit(long mostBytes, int mostRatio, Guard bytes, Guard ratio, String remedy) {
    /// Up to here any ratio is allowed.
    public static final long FREE_BYTES = 1 << 20;

    /// No useful text reaches it; deflate's maximum is 1032.
    public static final int USUAL_RATIO = 200;

    void check(long unpacked, long packed) throws BadCoding {
        if (unpacked > mostBytes) {
            throw new BadCoding(
                    413,
                    "a body that decompresses to more than " + mostBytes + " bytes (" + bytes.name() + "): " + remedy,
                    bytes);
        }
        if (unpacked > FREE_BYTES && unpacked / mostRatio > packed) {
            throw new BadCoding(
                    413,
                    "a body of " + packed + " bytes that decompresses to more than " + unpacked + ", over " + mostRatio
                            + " times as many (" + ratio.name() + "): " + remedy,
                    ratio);
        }
    }
}
