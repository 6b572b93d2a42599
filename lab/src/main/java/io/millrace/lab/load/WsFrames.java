package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.nio.ByteBuffer;

/// Reads a server's frames on one WebSocket (RFC 6455 section 5) as they arrive, and writes the heads of the load's
/// own.
///
/// ```
///   head, byte by byte ─┬─ of a message ──► its bytes ──► head
///                       ├─ ping ──► a pong is owed ──► head
///                       └─ close ──► the end
/// ```
final class WsFrames {
    /// What becomes of a message.
    interface Arrival {
        /// One begins.
        ///
        /// @param isPacked whether it is compressed
        void begins(boolean isPacked) throws BadAnswer;

        /// Takes the next bytes of it, all of them.
        void part(Input in, int length) throws BadAnswer;

        void ends() throws BadAnswer;
    }

    private static final int MASK_BYTES = 4;

    private static final int FIN = 0x80;
    private static final int PACKED = 0x40;
    private static final int RESERVED = 0x30;
    private static final int OPCODE = 0x0f;
    private static final int TEXT = 1;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final int MASKED = 0x80;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int MOST_CONTROL_BYTES = 125;
    private static final byte[] NOTHING = {};

    private final Arrival arrival;
    private final String name;
    private final boolean mayBePacked;

    // The head that is being read: how many of its bytes were, and of those that tell the length how many are missing.

    private int headBytes;
    private int missingBytes;
    private int first;
    private long left;

    private boolean isInPayload;
    private boolean isInMessage;
    private boolean isComplete;

    // A frame that controls the connection.

    private byte[] control = NOTHING;
    private int controlBytes;

    /// Frames that the server is owed.
    private byte[] owed = NOTHING;

    /// Of the message and what came with it, on the wire.
    private long wireBytes;

    /// @param name of the connection, in sentences
    WsFrames(Arrival arrival, String name, boolean mayBePacked) {
        this.arrival = arrival;
        this.name = name;
        this.mayBePacked = mayBePacked;
    }

    /// Takes what has arrived, up to the end of a message.
    ///
    /// @param most bytes of the input that are the WebSocket's
    /// @return how many it took
    int take(Input in, int most) throws BadAnswer {
        isComplete = false;
        int rest = most;
        while (!isComplete && (rest > 0 || (isInPayload && left == 0))) {
            if (!isInPayload) {
                wireBytes++;
                rest--;
                head(in.readByte() & 0xff);
                continue;
            }
            int part = (int) Math.min(left, rest);
            wireBytes += part;
            rest -= part;
            left -= part;
            if (part > 0) payload(in, part);
            if (left == 0) endOfFrame();
        }
        return most - rest;
    }

    /// Whether the last call of [#take] came to the end of a message.
    boolean isComplete() {
        return isComplete;
    }

    /// What arrived since the last call.
    long takeWireBytes() {
        long taken = wireBytes;
        wireBytes = 0;
        return taken;
    }

    private void head(int next) throws BadAnswer {
        if (headBytes == 0) {
            first = next;
            headBytes = 1;
            checkFirst();
            return;
        }
        if (headBytes == 1) {
            if ((next & MASKED) != 0) throw bad("sent a frame with a mask");
            headBytes = 2;
            missingBytes = next == SHORT_LENGTH ? Short.BYTES : next == LONG_LENGTH ? Long.BYTES : 0;
            left = missingBytes == 0 ? next : 0;
        } else {
            left = left << Byte.SIZE | next;
            missingBytes--;
        }
        if (missingBytes == 0) beginPayload();
    }

    private void checkFirst() throws BadAnswer {
        int kind = first & OPCODE;
        boolean isControl = kind >= CLOSE;
        boolean isKnown = isControl ? kind <= PONG : kind == (isInMessage ? 0 : TEXT);
        if (!isKnown) throw bad("sent a frame of kind " + kind + (isInMessage ? " within a message" : ""));
        boolean isWrong = (first & RESERVED) != 0 || ((first & PACKED) != 0 && (kind != TEXT || !mayBePacked));
        if (isWrong) throw bad("sent a frame with a reserved bit");
        if (isControl && (first & FIN) == 0) throw bad("sent a control frame in fragments");
    }

    private void beginPayload() throws BadAnswer {
        int kind = first & OPCODE;
        headBytes = 0;
        isInPayload = true;
        if (left < 0) throw bad("sent a frame of 2^63 bytes or more");
        if (kind >= CLOSE) {
            if (left > MOST_CONTROL_BYTES) throw bad("sent a control frame of " + left + " bytes");
            control = new byte[(int) left];
            controlBytes = 0;
            return;
        }
        if (kind == TEXT) arrival.begins((first & PACKED) != 0);
        isInMessage = true;
    }

    private void payload(Input in, int length) throws BadAnswer {
        if ((first & OPCODE) < CLOSE) {
            arrival.part(in, length);
            return;
        }
        in.read(control, controlBytes, length);
        controlBytes += length;
    }

    private void endOfFrame() throws BadAnswer {
        isInPayload = false;
        switch (first & OPCODE) {
            case CLOSE -> throw bad("closed it with " + code());
            case PING -> owed = Http2Wire.joined(owed, pong());
            case PONG -> {}
            default -> {
                if ((first & FIN) == 0) return;
                isInMessage = false;
                isComplete = true;
                arrival.ends();
            }
        }
    }

    private String code() {
        return control.length < 2 ? "no code" : "code " + (((control[0] & 0xff) << 8) | (control[1] & 0xff));
    }

    private BadAnswer bad(String what) {
        return new BadAnswer("the server of " + name + " " + what);
    }

    // The load's own frames.

    private byte[] pong() {
        // A mask of zeros leaves the bytes as they are.
        var frame = new byte[2 + MASK_BYTES + control.length];
        frame[0] = (byte) (FIN | PONG);
        frame[1] = (byte) (MASKED | control.length);
        System.arraycopy(control, 0, frame, 2 + MASK_BYTES, control.length);
        return frame;
    }

    /// Writes what the server is owed, as soon as all of it has room; never within a message.
    void reply(Output to, WsCarrier by) {
        if (owed.length == 0 || by.room(owed.length) < owed.length) return;
        by.before(to, owed.length);
        to.write(owed, 0, owed.length);
        owed = NOTHING;
    }

    /// The head of a message.
    static byte[] head(int length, int mask) {
        int more = length < SHORT_LENGTH ? 0 : length <= 0xffff ? Short.BYTES : Long.BYTES;
        var head = ByteBuffer.allocate(2 + more + MASK_BYTES).put((byte) (FIN | TEXT));
        switch (more) {
            case 0 -> head.put((byte) (MASKED | length));
            case Short.BYTES -> head.put((byte) (MASKED | SHORT_LENGTH)).putShort((short) length);
            default -> head.put((byte) (MASKED | LONG_LENGTH)).putLong(length);
        }
        return head.putInt(mask).array();
    }
}
