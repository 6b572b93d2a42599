package io.millrace.http.coding;

import io.millrace.net.Guard;

/// How much may come of a packed body.
///
/// @param mostBytes unpacked
/// @param mostRatio unpacked bytes for each packed one, of bodies that unpack to more than [#FREE_BYTES]
/// @param bytes the guard of the first
/// @param ratio the guard of the second
/// @param remedy what to say to somebody who needs more
public record DecodedLimit(long mostBytes, int mostRatio, Guard bytes, Guard ratio, String remedy) {
    /// Small bodies may be as dull as they like.
    static final long FREE_BYTES = 1 << 20;

    /// What no text of any use reaches; deflate ends at 1032.
    public static final int USUAL_RATIO = 200;

    void check(long unpacked, long packed) throws BadCoding {
        if (unpacked > mostBytes) {
            throw new BadCoding(
                    413,
                    "a body that unpacks to more than " + mostBytes + " bytes (" + bytes.name() + "): " + remedy,
                    bytes);
        }
        if (unpacked > FREE_BYTES && unpacked / mostRatio > packed) {
            throw new BadCoding(
                    413,
                    "a body of " + packed + " bytes that unpacks to more than " + unpacked + ", over " + mostRatio
                            + " times as many (" + ratio.name() + "): " + remedy,
                    ratio);
        }
    }
}
