package io.millrace.http.h2;

import io.millrace.memory.LoopInput;

/// Reads frames from a connection's input, and has no buffer of its own: a frame stays there until all of it has
/// arrived, except for DATA, which is passed on as it arrives (RFC 9113 section 4).
///
/// ```
///   HEADER ─┬─ whole frames ─► a method of [Http2Frames] for each type
///           └─ DATA ─► a part, a part, … padding ─► HEADER
/// ```
final class FrameReader {
    private final Http2Frames<?> owner;

    /// The stream whose block of fields goes on in the next frame; 0 without one.
    private int blockId;

    private int ended;

    // Of the DATA frame that is being read.

    private boolean isInData;
    private int dataId;
    private int dataLeft;
    private int paddingLeft;
    private boolean endsStream;

    FrameReader(Http2Frames<?> owner) {
        this.owner = owner;
    }

    /// Whether a frame other than DATA, or a block of fields, has begun.
    boolean isInFrame(LoopInput in) {
        return blockId != 0 || (!isInData && in.remaining() > 0);
    }

    /// Frames and blocks of fields that have come to their end.
    int ended() {
        return ended;
    }

    /// Reads the next frame, or what is there of a DATA frame.
    ///
    /// @return false when more must arrive
    boolean next(LoopInput in) throws Http2Error {
        if (isInData) return readData(in);
        if (in.remaining() < Http2Codes.HEADER_BYTES) return false;
        int word = in.peekInt(0);
        int length = word >>> 8;
        int type = word & 0xff;
        int flags = in.peekByte(4) & 0xff;
        int id = in.peekInt(5) & Http2Codes.MOST_ID;
        if (length > Http2Codes.MOST_BYTES)
            throw new Http2Error(Http2Codes.FRAME_SIZE_ERROR, "a frame of " + length + " bytes");
        if (blockId != 0 && (type != Http2Codes.CONTINUATION || id != blockId))
            throw Http2Error.protocol("another frame within a block of fields");
        if (type == Http2Codes.DATA) return beginData(in, length, flags, id);
        if (in.remaining() < Http2Codes.HEADER_BYTES + length) return false;
        in.skip(Http2Codes.HEADER_BYTES);
        long after = in.remaining() - length;
        read(in, length, type, flags, id);
        in.skip(in.remaining() - after);
        if (blockId == 0) ended++;
        return true;
    }

    private void read(LoopInput in, int length, int type, int flags, int id) throws Http2Error {
        switch (type) {
            case Http2Codes.HEADERS -> readHeaders(in, length, flags, id);
            case Http2Codes.CONTINUATION -> readContinuation(in, length, flags);
            case Http2Codes.PRIORITY -> readPriority(in, length, id);
            case Http2Codes.RST_STREAM -> {
                require(length == 4 && id != 0, length == 4, "RST_STREAM");
                owner.resetReceived(id, in.readInt());
            }
            case Http2Codes.SETTINGS -> readSettings(in, length, flags, id);
            case Http2Codes.PUSH_PROMISE -> throw Http2Error.protocol("PUSH_PROMISE, which is not taken");
            case Http2Codes.PING -> {
                require(length == 8 && id == 0, length == 8, "PING");
                owner.pingReceived(in.readLong(), (flags & Http2Codes.ACK) != 0);
            }
            case Http2Codes.GOAWAY -> {
                require(length >= 8 && id == 0, length >= 8, "GOAWAY");
                owner.goAwayReceived(in.readInt() & Http2Codes.MOST_ID, in.readInt());
            }
            case Http2Codes.WINDOW_UPDATE -> {
                require(length == 4, length == 4, "WINDOW_UPDATE");
                owner.windowReceived(id, in.readInt() & Http2Codes.MOST_WINDOW);
            }
            case Http2Codes.PRIORITY_UPDATE -> {
                require(length >= 4 && id == 0, length >= 4, "PRIORITY_UPDATE");
                owner.priorityReceived(in.readInt() & Http2Codes.MOST_ID, in.readUtf8(length - 4));
            }
            default -> owner.unknownReceived(type);
        }
    }

    private static void require(boolean isValid, boolean hasLength, String frame) throws Http2Error {
        if (isValid) return;
        if (!hasLength) throw new Http2Error(Http2Codes.FRAME_SIZE_ERROR, "the wrong length of " + frame);
        throw Http2Error.protocol(frame + " for the wrong stream");
    }

    // Blocks of fields.

    private void readHeaders(LoopInput in, int length, int flags, int id) throws Http2Error {
        if (id == 0) throw Http2Error.protocol("HEADERS without a stream");
        int padding = 0;
        int left = length;
        if ((flags & Http2Codes.PADDED) != 0) {
            require(left >= 1, left >= 1, "HEADERS");
            padding = in.readByte() & 0xff;
            left--;
        }
        boolean dependsOnItself = false;
        if ((flags & Http2Codes.WITH_PRIORITY) != 0) {
            require(left >= 5, left >= 5, "HEADERS");
            dependsOnItself = (in.readInt() & Http2Codes.MOST_ID) == id;
            in.skip(1);
            left -= 5;
        }
        if (padding > left) throw Http2Error.protocol("more padding than a frame");
        boolean isWhole = (flags & Http2Codes.END_HEADERS) != 0;
        if (!isWhole) blockId = id;
        owner.headersReceived(in, left - padding, id, (flags & Http2Codes.END_STREAM) != 0, isWhole, dependsOnItself);
    }

    private void readContinuation(LoopInput in, int length, int flags) throws Http2Error {
        if (blockId == 0) throw Http2Error.protocol("CONTINUATION without HEADERS");
        boolean isLast = (flags & Http2Codes.END_HEADERS) != 0;
        if (isLast) blockId = 0;
        owner.continuationReceived(in, length, isLast);
    }

    private void readPriority(LoopInput in, int length, int id) throws Http2Error {
        if (id == 0) throw Http2Error.protocol("PRIORITY without a stream");
        owner.oldPriorityReceived(id, length, length < 4 ? 0 : in.readInt() & Http2Codes.MOST_ID);
    }

    private void readSettings(LoopInput in, int length, int flags, int id) throws Http2Error {
        boolean isAnswer = (flags & Http2Codes.ACK) != 0;
        boolean hasLength = length % 6 == 0 && (!isAnswer || length == 0);
        require(hasLength && id == 0, hasLength, "SETTINGS");
        if (isAnswer) {
            owner.settingsAcknowledged();
            return;
        }
        var settings = new PeerSettings();
        for (int at = 0; at < length; at += 6) settings.put(in.readShort() & 0xffff, in.readInt());
        owner.settingsReceived(settings, length / 6);
    }

    // Bodies.

    private boolean beginData(LoopInput in, int length, int flags, int id) throws Http2Error {
        if (id == 0) throw Http2Error.protocol("DATA without a stream");
        boolean isPadded = (flags & Http2Codes.PADDED) != 0;
        if (isPadded && length == 0) throw new Http2Error(Http2Codes.FRAME_SIZE_ERROR, "the wrong length of DATA");
        if (isPadded && in.remaining() < Http2Codes.HEADER_BYTES + 1) return false;
        in.skip(Http2Codes.HEADER_BYTES);
        paddingLeft = isPadded ? in.readByte() & 0xff : 0;
        dataLeft = length - paddingLeft - (isPadded ? 1 : 0);
        if (dataLeft < 0) throw Http2Error.protocol("more padding than a frame");
        endsStream = (flags & Http2Codes.END_STREAM) != 0;
        dataId = id;
        isInData = true;
        owner.dataBegins(id, length, length - dataLeft, dataLeft == 0 && !endsStream);
        return readData(in);
    }

    private boolean readData(LoopInput in) throws Http2Error {
        long part = Math.min(dataLeft, in.remaining());
        if (part > 0) {
            dataLeft -= (int) part;
            owner.dataReceived(in, dataId, part);
        }
        if (dataLeft > 0) return false;
        long skipped = Math.min(paddingLeft, in.remaining());
        in.skip(skipped);
        paddingLeft -= (int) skipped;
        if (paddingLeft > 0) return false;
        isInData = false;
        ended++;
        owner.dataEnds(dataId, endsStream);
        return true;
    }
}
