package io.millrace.http.coding;

/// The two bytes of RFC 1950 section 2.2. Some peers leave the wrapper out and send bare data, which this tells
/// from it most of the time; guessing is not our business.
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
        if (!isHead) throw new BadCoding("a body that is no deflate: it needs the wrapper of zlib");
        if ((value & HAS_DICTIONARY) != 0) throw new BadCoding("a packed body that needs a dictionary");
        isComplete = true;
        return true;
    }

    @Override
    public boolean isComplete() {
        return isComplete;
    }
}
