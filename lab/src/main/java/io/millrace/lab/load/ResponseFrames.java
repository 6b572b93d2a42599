package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.http.h2.HpackDecoder;
import io.millrace.http.h2.HpackError;
import io.millrace.http.h2.Http2Codes;
import java.util.Arrays;

/// Reads a server's frames (RFC 9113 section 4), and tells what they are. A frame is left in the input until
/// all of it has arrived, except for DATA.
final class ResponseFrames {
    /// What the fields of a response may need.
    private static final int MOST_BLOCK_BYTES = 256 << 10;

    private static final byte[] NO_BLOCK = {};

    private final ResponseFields decoded;
    private final Http2Events events;
    private final HpackDecoder decoder = new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES);

    private boolean hasBegun;

    // The DATA frame that is being read, with its padding.

    private int dataId;
    private int dataLeft;
    private int bodyLeft;
    private boolean endsStream;

    // The block of fields that goes on in the next frame.

    private int blockId;
    private byte[] block = NO_BLOCK;

    ResponseFrames(ResponseFields decoded, Http2Events events) {
        this.decoded = decoded;
        this.events = events;
    }

    /// Reads the next frame, or what is there of a DATA frame.
    ///
    /// @return false when more must arrive
    boolean next(Input in) throws BadAnswer {
        if (dataLeft > 0) return readData(in);
        if (in.remaining() < Http2Codes.HEADER_BYTES) return false;
        int type = in.peekByte(3) & 0xff;
        int id = in.peekInt(5) & Http2Codes.MOST_ID;
        int length = in.peekInt(0) >>> 8;
        check(length, type, id);
        int flags = in.peekByte(4) & 0xff;
        boolean isData = type == Http2Codes.DATA;
        if (!isData && in.remaining() < Http2Codes.HEADER_BYTES + length) return false;
        if (isData && isPadded(flags) && in.remaining() < Http2Codes.HEADER_BYTES + 1) return false;
        in.skip(Http2Codes.HEADER_BYTES);
        if (isData) return beginData(in, length, flags, id);
        long after = in.remaining() - length;
        read(in, length, type, flags, id);
        in.skip(in.remaining() - after);
        return true;
    }

    private void check(int length, int type, int id) throws BadAnswer {
        if (!hasBegun && type != Http2Codes.SETTINGS)
            throw bad("does not speak HTTP/2: its first bytes are not the frame SETTINGS");
        hasBegun = true;
        if (length > Http2Codes.MOST_BYTES) throw bad("sent a frame of " + length + " bytes");
        boolean goesOn = type == Http2Codes.CONTINUATION && id == blockId;
        if (blockId != 0 && !goesOn) throw bad("sent another frame within a block of fields");
    }

    private BadAnswer bad(String what) {
        return new BadAnswer("the server of " + events.named() + " " + what);
    }

    private void read(Input in, int length, int type, int flags, int id) throws BadAnswer {
        switch (type) {
            case Http2Codes.HEADERS -> readHeaders(in, length, flags, id);
            case Http2Codes.CONTINUATION -> readContinuation(in, length, flags, id);
            case Http2Codes.RST_STREAM -> {
                require(length == 4, "RST_STREAM");
                events.reset(id, in.readInt());
            }
            case Http2Codes.SETTINGS -> readSettings(in, length, flags);
            case Http2Codes.PUSH_PROMISE -> throw bad("pushes, which it was told not to");
            case Http2Codes.PING -> {
                require(length == 8, "PING");
                if ((flags & Http2Codes.ACK) == 0) events.pinged(in.readInt(), in.readInt());
            }
            case Http2Codes.GOAWAY -> {
                require(length >= 8, "GOAWAY");
                events.goesAway(in.readInt() & Http2Codes.MOST_ID, in.readInt());
            }
            case Http2Codes.WINDOW_UPDATE -> {
                require(length == 4, "WINDOW_UPDATE");
                events.windowGrows(id, in.readInt() & Http2Codes.MOST_WINDOW);
            }
            default -> {}
        }
    }

    private void require(boolean hasLength, String frame) throws BadAnswer {
        if (!hasLength) throw bad("sent the wrong length of " + frame);
    }

    private void readSettings(Input in, int length, int flags) throws BadAnswer {
        if ((flags & Http2Codes.ACK) != 0) return;
        require(length % 6 == 0, "SETTINGS");
        events.settings();
        for (int at = 0; at < length; at += 6) events.set(in.readUnsignedShort(), in.readInt());
    }

    // Fields.

    private void readHeaders(Input in, int length, int flags, int id) throws BadAnswer {
        int padding = 0;
        int left = length;
        if (isPadded(flags)) {
            require(left > 0, "HEADERS");
            padding = in.readUnsignedByte();
            left--;
        }
        if ((flags & Http2Codes.WITH_PRIORITY) != 0) {
            require(left >= 5, "HEADERS");
            in.skip(5);
            left -= 5;
        }
        require(padding <= left, "HEADERS");
        endsStream = (flags & Http2Codes.END_STREAM) != 0;
        int count = left - padding;
        if ((flags & Http2Codes.END_HEADERS) != 0) {
            in.read(decoded.block(), 0, count);
            fields(id, decoded.block(), count, length);
            return;
        }
        blockId = id;
        append(in, count);
    }

    private void readContinuation(Input in, int length, int flags, int id) throws BadAnswer {
        if (blockId == 0) throw bad("sent CONTINUATION without HEADERS");
        append(in, length);
        if ((flags & Http2Codes.END_HEADERS) == 0) return;
        var whole = block;
        blockId = 0;
        block = NO_BLOCK;
        fields(id, whole, whole.length, whole.length);
    }

    private void append(Input in, int count) throws BadAnswer {
        int before = block.length;
        if (before + count > MOST_BLOCK_BYTES)
            throw bad("sent more than " + MOST_BLOCK_BYTES + " bytes of fields in one response");
        block = Arrays.copyOf(block, before + count);
        in.read(block, before, count);
    }

    private void fields(int id, byte[] from, int length, int wireBytes) throws BadAnswer {
        try {
            int status = decoded.status(decoder, from, length);
            events.fields(id, status, endsStream, Http2Codes.HEADER_BYTES + wireBytes);
        } catch (HpackError e) {
            throw bad("sent fields that cannot be decoded: " + e.getMessage());
        }
    }

    // Bodies.

    private static boolean isPadded(int flags) {
        return (flags & Http2Codes.PADDED) != 0;
    }

    private boolean beginData(Input in, int length, int flags, int id) throws BadAnswer {
        int padding = isPadded(flags) && length > 0 ? 1 + in.readUnsignedByte() : 0;
        require(padding <= length && (length > 0 || !isPadded(flags)), "DATA");
        dataId = id;
        dataLeft = length - Math.min(padding, 1);
        bodyLeft = length - padding;
        endsStream = (flags & Http2Codes.END_STREAM) != 0;
        events.dataBegins(id, length);
        return readData(in);
    }

    private boolean readData(Input in) throws BadAnswer {
        int there = (int) Math.min(dataLeft, in.remaining());
        int count = bodyLeft > 0 && there > 0 ? events.body(dataId, in, Math.min(there, bodyLeft)) : padding(in, there);
        dataLeft -= count;
        bodyLeft -= Math.min(count, bodyLeft);
        if (dataLeft > 0) return count > 0;
        if (endsStream) events.ends(dataId);
        return true;
    }

    private static int padding(Input in, int count) {
        in.skip(count);
        return count;
    }
}
