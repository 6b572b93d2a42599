package io.millrace.http.coding;

/// The two bytes of RFC 1950 section 2.2. Some peers send bare data without this wrapper, which this
/// recognizes most of the time; it does not guess.
final class ZlibHead implements WrapperHead {
    private static final int METHOD = 8;
    private static final int MOST_WINDOW = 7;
    private static final int HAS_DICTIONARY = 0x20;

    private int first = -1;
    private boolean isComplete;

    @Override
    public boolean take(int value) throws BadCoding {
        if (first < 0) {
            first = value;
            return false;
        }
        boolean isHead = (first & 0xf) == METHOD && first >> 4 <= MOST_WINDOW && ((first << 8) | value) % 31 == 0;
        if (!isHead) throw new BadCoding("a body that is not deflate: it needs the zlib wrapper");
        if ((value & HAS_DICTIONARY) != 0) throw new BadCoding("a compressed body that needs a dictionary");
        isComplete = true;
        return true;
    }

    @Override
    public boolean isComplete() {
        return isComplete;
    }
}
