package io.millrace.http.ws;

import io.millrace.http.coding.CoderPool;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/// Unpacks the messages of a connection (RFC 7692 section 7.2.2), each at once. Unless the peer keeps its window
/// between messages, nothing is held from one to the next: there are as many inflaters as threads that unpack now,
/// and connections share this object.
///
/// It is strict where a message is cut, or has data behind its end, as far as that can be seen without a window.
public final class MessageInflater {
    /// What the sender has left out.
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    /// A last block: where a message has all of its data, this is the end.
    private static final byte[] END = {1, 0, 0, (byte) 0xff, (byte) 0xff};

    /// A sender may end the data within a message and begin anew, which costs more than its bytes.
    private static final int MOST_ENDS = 16;

    private static final int BUFFER = 8 << 10;

    /// Held for a call that does not wait.
    static final CoderPool<Unpacker> EACH_MESSAGE =
            CoderPool.ofAny(Runtime.getRuntime().availableProcessors(), Unpacker::new, Unpacker::reset, Unpacker::end);

    /// An inflater with its arrays.
    static final class Unpacker {
        private final Inflater inflater = new Inflater(true);
        private final byte[] packed = new byte[BUFFER];
        private final byte[] plain = new byte[BUFFER];

        // Of the message that is being unpacked.

        private int ends;
        private boolean isAtEnd;
        private long unpacked;

        private void begin() {
            ends = 0;
            isAtEnd = true;
            unpacked = 0;
        }

        private void reset() {
            inflater.reset();
        }

        private void end() {
            inflater.end();
        }
    }

    private final boolean keepsWindow;
    private @Nullable Unpacker kept;

    /// @param keepsWindow whether messages may refer to those before
    MessageInflater(boolean keepsWindow) {
        this.keepsWindow = keepsWindow;
    }

    /// Reads all of a message, and writes it unpacked.
    ///
    /// @throws WsError if it is malformed, or unpacks to too much; after that it must not be used any more
    void inflate(LoopInput message, LoopOutput to, WsLimits limits) throws WsError {
        if (keepsWindow) {
            if (kept == null) kept = new Unpacker();
            inflate(kept, message, to, limits);
            return;
        }
        var one = EACH_MESSAGE.take().orElseThrow();
        try {
            inflate(one, message, to, limits);
        } finally {
            EACH_MESSAGE.give(one);
        }
    }

    private void inflate(Unpacker by, LoopInput message, LoopOutput to, WsLimits limits) throws WsError {
        long packed = message.remaining();
        by.begin();
        try {
            while (!message.isEmpty()) {
                int length = (int) Math.min(BUFFER, message.remaining());
                message.read(by.packed, 0, length);
                inflate(by, by.packed, length, packed, to, limits);
            }
            // Some senders make nothing of an empty message, and some end the data with it.
            if (by.isAtEnd) return;
            inflate(by, TAIL, TAIL.length, packed, to, limits);
            if (!keepsWindow && !isWhole(by)) throw malformed("its data is cut");
        } catch (DataFormatException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static void inflate(Unpacker by, byte[] from, int length, long packed, LoopOutput to, WsLimits limits)
            throws DataFormatException, WsError {
        var inflater = by.inflater;
        inflater.setInput(from, 0, length);
        by.isAtEnd = false;
        while (true) {
            int got = inflater.inflate(by.plain);
            if (got > 0) {
                by.unpacked += got;
                check(by.unpacked, packed, limits);
                to.write(by.plain, 0, got);
            }
            if (!inflater.finished()) {
                if (got == 0) return;
                continue;
            }
            int left = inflater.getRemaining();
            inflater.reset();
            by.isAtEnd = left == 0;
            if (by.isAtEnd) return;
            if (++by.ends > MOST_ENDS) throw malformed("its data ends more than " + MOST_ENDS + " times");
            inflater.setInput(from, length - left, left);
        }
    }

    private static void check(long unpacked, long packed, WsLimits limits) throws WsError {
        if (unpacked > limits.messageBytes()) throw limits.tooLong();
        if (unpacked > DecodedLimit.FREE_BYTES && unpacked / limits.ratio() > packed) {
            throw new WsError(
                    WsCodes.TOO_LONG,
                    "a message of " + packed + " bytes that unpacks to more than " + limits.ratio() + " times as many",
                    HttpGuards.WS_RATIO);
        }
    }

    private static boolean isWhole(Unpacker by) throws DataFormatException {
        by.inflater.setInput(END);
        return by.inflater.inflate(by.plain) == 0 && by.inflater.finished() && by.inflater.getRemaining() == 0;
    }

    private static WsError malformed(String why) {
        return new WsError(WsCodes.INVALID_PAYLOAD, "a packed message that is malformed: " + why);
    }

    /// The connection is over; may be called several times.
    void release() {
        if (kept != null) kept.end();
        kept = null;
    }
}
