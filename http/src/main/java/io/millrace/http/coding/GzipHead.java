package io.millrace.http.coding;

import java.util.zip.CRC32;

/// The head of a gzip member (RFC 1952 section 2.3): ten bytes, and what their flags announce.
///
/// ```
///   FIXED ─► EXTRA_LENGTH ─► EXTRA ─► NAME ─► COMMENT ─► CHECKSUM ─► COMPLETE     each but the first if announced
/// ```
final class GzipHead implements WrapperHead {
    private static final int HAS_CHECKSUM = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int RESERVED = 0xe0;
    private static final int FIXED_BYTES = 10;

    /// A name and a comment could go on for ever, without any output.
    private static final int MOST_BYTES = 4 << 10;

    private enum Part {
        FIXED,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        CHECKSUM,
        COMPLETE
    }

    private final CRC32 crc = new CRC32();
    private Part part = Part.FIXED;
    private int flags;
    private int count;
    private int number;
    private int numberBytes;

    @Override
    public boolean take(int value) throws BadCoding {
        if (++count > MOST_BYTES) throw new BadCoding("a gzip head of more than " + MOST_BYTES + " bytes");
        if (part != Part.CHECKSUM) crc.update(value);
        switch (part) {
            case FIXED -> fixed(value);
            case EXTRA_LENGTH -> {
                if (number(value)) part = number == 0 ? after(Part.EXTRA) : Part.EXTRA;
            }
            case EXTRA -> {
                if (--number == 0) part = after(Part.EXTRA);
            }
            case NAME, COMMENT -> {
                if (value == 0) part = after(part);
            }
            case CHECKSUM -> checksum(value);
            case COMPLETE -> throw new IllegalStateException("the head is complete");
        }
        return isComplete();
    }

    private void fixed(int value) throws BadCoding {
        boolean isWrong = (count == 1 && value != 0x1f) || (count == 2 && value != 0x8b) || (count == 3 && value != 8);
        if (isWrong) throw new BadCoding("a body that is not gzip");
        if (count == 4) flags = value;
        if (count == 4 && (value & RESERVED) != 0) throw new BadCoding("a gzip head with unknown flags");
        if (count == FIXED_BYTES) part = after(Part.FIXED);
    }

    private Part after(Part done) {
        numberBytes = 0;
        number = 0;
        if (done.compareTo(Part.EXTRA_LENGTH) < 0 && has(HAS_EXTRA)) return Part.EXTRA_LENGTH;
        if (done.compareTo(Part.NAME) < 0 && has(HAS_NAME)) return Part.NAME;
        if (done.compareTo(Part.COMMENT) < 0 && has(HAS_COMMENT)) return Part.COMMENT;
        return has(HAS_CHECKSUM) ? Part.CHECKSUM : Part.COMPLETE;
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /// @return whether both of its bytes are there
    private boolean number(int value) {
        number |= value << (8 * numberBytes);
        return ++numberBytes == 2;
    }

    private void checksum(int value) throws BadCoding {
        if (!number(value)) return;
        if (number != (crc.getValue() & 0xffff)) throw new BadCoding("a gzip head with a wrong checksum");
        part = Part.COMPLETE;
    }

    @Override
    public boolean isComplete() {
        return part == Part.COMPLETE;
    }
}
