package io.millrace.http.ws;

import io.millrace.bytes.Input;

/// Knows where frames end in bytes that others read: headers alone are looked at, and nothing is copied or taken.
///
/// ```
///   FIRST ─► SECOND ─► LENGTH? ─► MASK? ─► PAYLOAD ─► FIRST         between frames is FIRST
///     │        └── what no frame begins with ─► LOST                 from now on nothing is known
///     └── the end of a close frame ─► CLOSED                         nothing follows
/// ```
/// It judges nothing but where a frame ends: what a message is worth is for its reader. Used by one thread.
public final class WsFollower {
    private static final int CODE_BYTES = 2;

    private enum Phase {
        FIRST,
        SECOND,
        LENGTH,
        MASK,
        PAYLOAD,
        CLOSED,
        LOST
    }

    private final boolean isMasked;
    private Phase phase = Phase.FIRST;
    private boolean isFinal;
    private int opcode;

    /// Bytes of the length or the mask that are still to come.
    private int toCome;

    private int mask;

    /// The length of the payload, or how much of it is still to come.
    private long left;

    /// Bytes of a close frame's payload so far, and the code in the first two.
    private int closingBytes;

    private int code;
    private long messages;

    /// @param isMasked whether they are a client's frames
    public WsFollower(boolean isMasked) {
        this.isMasked = isMasked;
    }

    /// Follows what is there, and takes nothing of it.
    ///
    /// @param onlyFrame stops where the frame ends that is open
    /// @return how many bytes it has followed
    public long follow(Input in, boolean onlyFrame) {
        long count = in.remaining();
        for (long at = 0; at < count; ) {
            if (phase == Phase.CLOSED || phase == Phase.LOST) return count;
            at += phase == Phase.PAYLOAD ? payload(in, at, count - at) : header(in.peekByte(at) & 0xff);
            if (onlyFrame && isBetween()) return at;
        }
        return count;
    }

    /// Whether a frame may begin here.
    public boolean isBetween() {
        return phase == Phase.FIRST;
    }

    /// Whether these are no frames.
    public boolean isLost() {
        return phase == Phase.LOST;
    }

    /// Whether a close frame has ended.
    public boolean hasClosed() {
        return phase == Phase.CLOSED;
    }

    /// The code of the close frame, or [WsCodes#NONE].
    public int closeCode() {
        return closingBytes < CODE_BYTES ? WsCodes.NONE : code;
    }

    /// Whole messages so far.
    public long messages() {
        return messages;
    }

    /// @return 1, its length
    private int header(int next) {
        switch (phase) {
            case FIRST -> first(next);
            case SECOND -> second(next);
            case LENGTH -> length(next);
            default -> mask(next);
        }
        return 1;
    }

    private void first(int next) {
        isFinal = (next & WsCodes.FIN) != 0;
        opcode = next & WsCodes.OPCODE;
        boolean isKnown = opcode <= WsCodes.BINARY || (opcode >= WsCodes.CLOSE && opcode <= WsCodes.PONG);
        phase = isKnown && (next & WsCodes.RESERVED) == 0 ? Phase.SECOND : Phase.LOST;
    }

    private void second(int next) {
        int length = next & WsCodes.LENGTH;
        boolean fits = !WsCodes.isControl(opcode) || (isFinal && length <= WsCodes.MOST_CONTROL_BYTES);
        if (((next & WsCodes.MASKED) != 0) != isMasked || !fits) {
            phase = Phase.LOST;
            return;
        }
        left = length;
        if (length < WsCodes.SHORT_LENGTH) {
            lengthIsKnown();
            return;
        }
        left = 0;
        toCome = length == WsCodes.SHORT_LENGTH ? Short.BYTES : Long.BYTES;
        phase = Phase.LENGTH;
    }

    private void length(int next) {
        left = left << Byte.SIZE | next;
        if (--toCome > 0) return;
        if (left < 0) phase = Phase.LOST;
        else lengthIsKnown();
    }

    private void lengthIsKnown() {
        if (!isMasked) {
            headerIsOver();
            return;
        }
        toCome = WsCodes.MASK_BYTES;
        phase = Phase.MASK;
    }

    private void mask(int next) {
        mask = mask << Byte.SIZE | next;
        if (--toCome == 0) headerIsOver();
    }

    private void headerIsOver() {
        phase = Phase.PAYLOAD;
        if (left == 0) frameIsOver();
    }

    /// @return how many bytes of it are there
    private long payload(Input in, long at, long there) {
        long part = Math.min(left, there);
        if (opcode == WsCodes.CLOSE) readCode(in, at, part);
        left -= part;
        if (left == 0) frameIsOver();
        return part;
    }

    private void readCode(Input in, long at, long part) {
        for (long i = 0; i < part && closingBytes < CODE_BYTES; i++, closingBytes++) {
            int key = isMasked ? mask >>> (Byte.SIZE * (WsCodes.MASK_BYTES - 1 - closingBytes)) : 0;
            code = code << Byte.SIZE | ((in.peekByte(at + i) ^ key) & 0xff);
        }
    }

    private void frameIsOver() {
        phase = opcode == WsCodes.CLOSE ? Phase.CLOSED : Phase.FIRST;
        if (isFinal && !WsCodes.isControl(opcode)) messages++;
    }
}
