package io.millrace.codec;

import io.millrace.bytes.Input;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.OpenFrame;
import io.millrace.net.ProtocolError;

/// Frames that begin with their length. Immutable: each method returns a changed copy.
///
/// ```
///   │ offset │ length field │ rest = value of the field + adjustment, at most maxBytes │
///   └──────── header ───────┘
/// ```
/// The codec sees only the rest or, with [#withHeader], everything.
public final class LengthPrefixed extends Framing {
    private static final int VARINT = 0;

    /// A length of 31 bits needs no more, and the limit is an `int`.
    private static final int MAX_VARINT_BYTES = 5;

    private static final int MAX_OFFSET_BYTES = 64;

    private final int widthBytes;
    private final boolean isLittleEndian;
    private final int offsetBytes;
    private final int adjustment;
    private final boolean seesHeader;

    LengthPrefixed(int maxBytes) {
        this(maxBytes, 4, false, 0, 0, false);
    }

    private LengthPrefixed(
            int maxBytes, int widthBytes, boolean isLittleEndian, int offsetBytes, int adjustment, boolean seesHeader) {
        super(maxBytes);
        this.widthBytes = widthBytes;
        this.isLittleEndian = isLittleEndian;
        this.offsetBytes = offsetBytes;
        this.adjustment = adjustment;
        this.seesHeader = seesHeader;
    }

    /// The size of the length field in bytes: 1, 2 or 3 are unsigned, 4 or 8 signed; a negative length is an error
    /// of the peer.
    public LengthPrefixed lengthField(int bytes) {
        return switch (bytes) {
            case 1, 2, 3, 4, 8 ->
                new LengthPrefixed(maxBytes, bytes, isLittleEndian, offsetBytes, adjustment, seesHeader);
            default ->
                throw new IllegalArgumentException(
                        "a length field of " + bytes + " bytes: it may have 1, 2, 3, 4 or 8, or be a varint");
        };
    }

    /// A length of 1 to 5 bytes: seven bits in each, the lowest first, and the top bit set in all but the last
    /// (LEB128, as in Protocol Buffers and MQTT). Written in as few bytes as possible.
    public LengthPrefixed varint() {
        return new LengthPrefixed(maxBytes, VARINT, isLittleEndian, offsetBytes, adjustment, seesHeader);
    }

    /// The length field is little-endian.
    public LengthPrefixed littleEndian() {
        return new LengthPrefixed(maxBytes, widthBytes, true, offsetBytes, adjustment, seesHeader);
    }

    /// Bytes in front of the length field, 0 to 64. The codec needs them, so this implies [#withHeader].
    public LengthPrefixed offset(int bytes) {
        if (bytes < 0 || bytes > MAX_OFFSET_BYTES) {
            throw new IllegalArgumentException("an offset of " + bytes + " bytes: it may be 0 to " + MAX_OFFSET_BYTES);
        }
        return new LengthPrefixed(maxBytes, widthBytes, isLittleEndian, bytes, adjustment, seesHeader || bytes > 0);
    }

    /// How many more bytes follow the length field than its value says: negative when the value also counts the
    /// field itself or what precedes it, positive when it leaves out some of what follows.
    public LengthPrefixed adjustment(int bytes) {
        return new LengthPrefixed(maxBytes, widthBytes, isLittleEndian, offsetBytes, bytes, seesHeader);
    }

    /// The codec reads and writes the whole frame. In the place of the length field it writes as many bytes as that
    /// has (one for a varint), which are replaced by the length.
    public LengthPrefixed withHeader() {
        return new LengthPrefixed(maxBytes, widthBytes, isLittleEndian, offsetBytes, adjustment, true);
    }

    // Reading.

    @Override
    long next(Input in, long scanned) throws ProtocolError {
        int width = widthBytes == VARINT ? varintBytes(in) : widthBytes;
        int header = offsetBytes + width;
        if (width == 0 || in.remaining() < header) return INCOMPLETE;
        long value = widthBytes == VARINT ? readVarint(in, width) : value(in);
        long frame = header + rest(value);
        return in.remaining() < frame ? INCOMPLETE : frame;
    }

    /// The length that a field announces, unless it is impossible.
    private long rest(long value) throws ProtocolError {
        if (value < 0) {
            throw new ProtocolError("a frame announces a negative length, " + value + ", to " + this
                    + ": does the peer speak this protocol?");
        }
        if (value > (long) maxBytes - adjustment) throw tooLong("a frame that announces a length of " + value);
        long rest = value + adjustment;
        if (rest < 0) {
            throw new ProtocolError("a frame announces a length of " + value + " to " + this
                    + ", which counts at least " + -(long) adjustment + " bytes: does the peer speak this protocol?");
        }
        return rest;
    }

    private long value(Input in) {
        return switch (widthBytes) {
            case 1 -> in.peekByte(offsetBytes) & 0xff;
            case 2 ->
                (isLittleEndian ? Short.reverseBytes(in.peekShort(offsetBytes)) : in.peekShort(offsetBytes)) & 0xffff;
            case 3 ->
                isLittleEndian
                        ? byteAt(in, 0) | byteAt(in, 1) << 8 | byteAt(in, 2) << 16
                        : byteAt(in, 0) << 16 | byteAt(in, 1) << 8 | byteAt(in, 2);
            case 4 -> isLittleEndian ? Integer.reverseBytes(in.peekInt(offsetBytes)) : in.peekInt(offsetBytes);
            default -> isLittleEndian ? Long.reverseBytes(in.peekLong(offsetBytes)) : in.peekLong(offsetBytes);
        };
    }

    private int byteAt(Input in, int index) {
        return in.peekByte(offsetBytes + index) & 0xff;
    }

    /// How many bytes the varint at the offset has, 0 when it is incomplete.
    private int varintBytes(Input in) throws ProtocolError {
        long there = Math.min(MAX_VARINT_BYTES, in.remaining() - offsetBytes);
        for (int i = 0; i < there; i++) {
            if (in.peekByte(offsetBytes + i) >= 0) return i + 1;
        }
        if (there < MAX_VARINT_BYTES) return 0;
        throw new ProtocolError("a length of more than " + MAX_VARINT_BYTES + " bytes was sent to " + this
                + ": does the peer speak this protocol?");
    }

    private long readVarint(Input in, int bytes) {
        long value = 0;
        for (int i = bytes - 1; i >= 0; i--) value = value << 7 | (in.peekByte(offsetBytes + i) & 0x7f);
        return value;
    }

    @Override
    int headerBytes(Input in) {
        if (seesHeader) return 0;
        if (widthBytes != VARINT) return widthBytes;
        int bytes = 1;
        while (in.peekByte(bytes - 1) < 0) bytes++;
        return bytes;
    }

    @Override
    int trailerBytes(Input in, long frameBytes) {
        return 0;
    }

    @Override
    long maxFrameBytes() {
        return (long) maxBytes + offsetBytes + (widthBytes == VARINT ? MAX_VARINT_BYTES : widthBytes);
    }

    // Writing: a codec that writes the header has put the field into the frame; otherwise it is reserved in front.
    // A varint gets its longest form until the value is known; then the rest is cut off.

    @Override
    int spareBytes() {
        if (widthBytes != VARINT) return seesHeader ? 0 : widthBytes;
        return seesHeader ? longestVarint() - 1 : longestVarint();
    }

    @Override
    int headerBytesToSeal() {
        return spareBytes() + headerBytesOfCodec();
    }

    private int headerBytesOfCodec() {
        return seesHeader ? offsetBytes + Math.max(1, widthBytes) : 0;
    }

    @Override
    void seal(OpenFrame frame, LoopOutput out) {
        long value = valueFor(frame.size() - spareBytes());
        if (widthBytes == VARINT) sealVarint(frame, value);
        else sealFixed(frame, value);
    }

    private long valueFor(long written) {
        int header = headerBytesOfCodec();
        if (written < header) {
            throw new IllegalArgumentException("the codec wrote " + written + " bytes, and " + this
                    + " has a header of " + header + ": withHeader() lets the codec write all of it");
        }
        long rest = written - header;
        checkSize(rest);
        long value = rest - adjustment;
        if (value < 0 || value > maxValue()) {
            throw new IllegalArgumentException("a message of " + rest + " bytes has a length of " + value + " in "
                    + this + ", which its field cannot hold: it holds 0 to " + maxValue());
        }
        return value;
    }

    private long maxValue() {
        return switch (widthBytes) {
            case 1, 2, 3 -> (1L << (8 * widthBytes)) - 1;
            case 4 -> Integer.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
    }

    private void sealFixed(OpenFrame frame, long value) {
        for (int i = 0; i < widthBytes; i++) {
            int shift = 8 * (isLittleEndian ? i : widthBytes - 1 - i);
            frame.set(offsetBytes + i, (int) (value >>> shift));
        }
    }

    private void sealVarint(OpenFrame frame, long value) {
        int bytes = varintBytes(value);
        int unused = longestVarint() - bytes;
        for (int i = 0; i < offsetBytes; i++) frame.set(unused + i, frame.get(spareBytes() + i));
        for (int i = 0; i < bytes; i++) {
            int more = i < bytes - 1 ? 0x80 : 0;
            frame.set(unused + offsetBytes + i, more | ((int) (value >>> (7 * i)) & 0x7f));
        }
        frame.cut(unused);
    }

    private int longestVarint() {
        return varintBytes(Math.max(0, (long) maxBytes - adjustment));
    }

    private static int varintBytes(long value) {
        return Math.max(1, Math.ceilDiv(Long.SIZE - Long.numberOfLeadingZeros(value), 7));
    }

    /// As written in code.
    @Override
    public String toString() {
        var text = new StringBuilder("Framing.lengthPrefixed(").append(maxBytes).append(')');
        if (widthBytes == VARINT) text.append(".varint()");
        else if (widthBytes != 4)
            text.append(".lengthField(").append(widthBytes).append(')');
        if (isLittleEndian) text.append(".littleEndian()");
        if (offsetBytes > 0) text.append(".offset(").append(offsetBytes).append(')');
        if (adjustment != 0) text.append(".adjustment(").append(adjustment).append(')');
        if (seesHeader && offsetBytes == 0) text.append(".withHeader()");
        return text.toString();
    }
}
