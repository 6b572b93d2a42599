package io.millrace.http.ws;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabSource;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Reads frames from a connection's input (RFC 6455 section 5), and has no buffer of its own: a header, and a
/// frame that controls the connection, stay there until all of them has arrived; messages are passed on as they
/// arrive.
///
/// ```
///   HEADER ─┬─ PING, PONG ─────────────────────────────► HEADER
///           ├─ TEXT, BINARY, CONTINUATION ─► its bytes ─► HEADER
///           └─ CLOSE ─► closed: what follows is dropped
/// ```
/// Masks are undone where the bytes lie. The first violation is a [WsError], as soon as it can be seen; after it,
/// the caller does not call [#next] again. [#release] is called however the connection ends.
///
/// Used by the thread that has the input.
public final class WsReader extends WsBudget {
    /// Of what is there of a frame, so much is passed on at a time: a receiver that has enough is heard in between.
    static final int MOST_PASSED_BYTES = 64 << 10;

    private final boolean isServer;
    private final boolean mayBePacked;
    private final WsSink sink;
    private final WsMessage message;

    // Of the frame of a message that is being read.

    private boolean isInFrame;
    private boolean endsMessage;
    private long left;
    private int mask;

    private boolean isClosed;

    /// @param isServer whether frames have to have masks, or must not have any
    /// @param inflater for messages that are packed; null if there must not be any
    public WsReader(WsLimits limits, boolean isServer, @Nullable MessageInflater inflater, WsSink sink, long nowNanos) {
        super(limits.controlFrames(), nowNanos);
        this.isServer = isServer;
        this.mayBePacked = inflater != null;
        this.sink = sink;
        this.message = new WsMessage(limits, inflater, sink);
    }

    /// Whether a frame or a message has begun and not ended: if the connection ends now, it is cut.
    public boolean isInMessage(LoopInput in) {
        return message.isOpen() || in.remaining() > 0;
    }

    /// Reads the next frame, or what is there of one of a message.
    ///
    /// @param source where slabs come from now
    /// @return false when more must arrive; otherwise it may be called again
    /// @throws WsError for what the peer must not send, and what the sink refuses
    public boolean next(LoopInput in, SlabSource source, long nowNanos) throws WsError {
        if (isClosed) {
            in.skip(in.remaining());
            return false;
        }
        return isInFrame ? readPart(in, source) : readHeader(in, source, nowNanos);
    }

    // Headers. They are checked as their bytes come.

    private boolean readHeader(LoopInput in, SlabSource source, long nowNanos) throws WsError {
        if (in.remaining() < 1) return false;
        int first = in.peekByte(0) & 0xff;
        int opcode = first & WsCodes.OPCODE;
        boolean isFinal = (first & WsCodes.FIN) != 0;
        checkFirst(first, opcode, isFinal);
        if (in.remaining() < 2) return false;
        int second = in.peekByte(1) & 0xff;
        checkSecond(second, opcode);
        int headerBytes = 2 + lengthBytes(second);
        if (in.remaining() < headerBytes) return false;
        long length = length(in, second & WsCodes.LENGTH);
        boolean isControl = WsCodes.isControl(opcode);
        if (!isControl) message.check(opcode, length);
        if (isServer) headerBytes += WsCodes.MASK_BYTES;
        if (in.remaining() < headerBytes) return false;
        if (isControl) return readControl(in, headerBytes, (int) length, opcode, nowNanos);
        if (length == 0 && !isFinal && message.limits().isOfAnyLength())
            spend(message.limits().controlFrames(), nowNanos);
        message.begins(opcode, (first & WsCodes.COMPRESSED) != 0, length);
        mask = isServer ? in.peekInt(headerBytes - WsCodes.MASK_BYTES) : 0;
        in.skip(headerBytes);
        isInFrame = true;
        endsMessage = isFinal;
        left = length;
        return readPart(in, source);
    }

    private void checkFirst(int first, int opcode, boolean isFinal) throws WsError {
        boolean isPacked = (first & WsCodes.COMPRESSED) != 0;
        boolean begins = opcode == WsCodes.TEXT || opcode == WsCodes.BINARY;
        if ((first & WsCodes.RESERVED) != 0 || (isPacked && !(begins && mayBePacked)))
            throw WsError.protocol("a frame with a reserved bit");
        if (begins && message.isOpen()) throw WsError.protocol("a message within another one");
        if (opcode == WsCodes.CONTINUATION && !message.isOpen()) throw WsError.protocol("a continuation of no message");
        if (opcode > WsCodes.BINARY && (opcode < WsCodes.CLOSE || opcode > WsCodes.PONG))
            throw WsError.protocol("a frame of the unknown kind " + opcode);
        if (WsCodes.isControl(opcode) && !isFinal) throw WsError.protocol("a control frame in fragments");
    }

    private void checkSecond(int second, int opcode) throws WsError {
        boolean isMasked = (second & WsCodes.MASKED) != 0;
        if (isMasked != isServer)
            throw WsError.protocol(isServer ? "a frame without a mask" : "a frame of a server with a mask");
        int length = second & WsCodes.LENGTH;
        if (WsCodes.isControl(opcode) && length > WsCodes.MOST_CONTROL_BYTES)
            throw WsError.protocol("a control frame of more than 125 bytes");
        if (opcode == WsCodes.CLOSE && length == 1) throw WsError.protocol("half a code to close");
    }

    /// How many more bytes tell the length.
    private static int lengthBytes(int second) {
        return switch (second & WsCodes.LENGTH) {
            case WsCodes.SHORT_LENGTH -> Short.BYTES;
            case WsCodes.LONG_LENGTH -> Long.BYTES;
            default -> 0;
        };
    }

    private static long length(LoopInput in, int first) throws WsError {
        long length = switch (first) {
            case WsCodes.SHORT_LENGTH -> in.peekShort(2) & 0xffff;
            case WsCodes.LONG_LENGTH -> in.peekLong(2);
            default -> first;
        };
        if (length < 0) throw WsError.protocol("a frame of 2^63 bytes or more");
        boolean isMinimal = first < WsCodes.SHORT_LENGTH
                || length > (first == WsCodes.SHORT_LENGTH ? WsCodes.MOST_CONTROL_BYTES : 0xffff);
        if (!isMinimal) throw WsError.protocol("a length in more bytes than it needs");
        return length;
    }

    // Frames that control the connection.

    private boolean readControl(LoopInput in, int headerBytes, int length, int opcode, long nowNanos) throws WsError {
        if (in.remaining() < headerBytes + length) return false;
        spend(message.limits().controlFrames(), nowNanos);
        int key = isServer ? in.peekInt(headerBytes - WsCodes.MASK_BYTES) : 0;
        in.skip(headerBytes);
        WsMask.apply(in, length, key);
        var payload = in.readBytes(length);
        switch (opcode) {
            case WsCodes.PING -> sink.ping(payload);
            case WsCodes.PONG -> sink.pong(payload);
            default -> readClose(payload);
        }
        return true;
    }

    private void readClose(Bytes payload) throws WsError {
        isClosed = true;
        if (payload.length() == 0) {
            sink.close(WsCodes.NONE, "");
            return;
        }
        int code = (payload.at(0) & 0xff) << 8 | (payload.at(1) & 0xff);
        if (!WsCodes.mayBeSent(code)) throw WsError.protocol("the code " + code + " to close");
        var reason = payload.toArray();
        var check = new Utf8();
        boolean isText = check.accepts(MemorySegment.ofArray(reason), 2, reason.length) && check.isComplete();
        if (!isText) throw new WsError(WsCodes.INVALID_PAYLOAD, "a reason to close that is not UTF-8");
        sink.close(code, new String(reason, 2, reason.length - 2, StandardCharsets.UTF_8));
    }

    // Frames of messages.

    private boolean readPart(LoopInput in, SlabSource source) throws WsError {
        long part = Math.min(Math.min(left, in.remaining()), MOST_PASSED_BYTES);
        if (part < left && part == 0) return false;
        mask = WsMask.apply(in, part, mask);
        left -= part;
        isInFrame = left > 0;
        boolean isLast = endsMessage && !isInFrame;
        int mostFrames = message.limits().controlFrames();
        moved(mostFrames, part);
        if (isLast) complete(mostFrames);
        if (part > 0 || isLast) pass(in, part, isLast, source);
        return !isInFrame || in.remaining() > 0;
    }

    private void pass(LoopInput in, long part, boolean isLast, SlabSource source) throws WsError {
        long hidden = in.narrow(part);
        try {
            message.part(in, isLast, source);
            in.skip(in.remaining());
        } finally {
            in.widen(hidden);
        }
    }

    /// The connection is over: gives back what is kept of a message. May be called several times.
    public void release(SlabSource source) {
        isClosed = true;
        message.release(source);
    }
}
