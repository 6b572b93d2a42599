package io.millrace.http.ws;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Gathered;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// The message that is arriving: its limits, its compression, its UTF-8.
///
/// ```
///   begins ─► part, part, … ─► begins (a continuation) ─► … ─► last part
///               ├─ plain: checked and passed on
///               └─ packed: kept until the last one, then unpacked, checked and passed on, all at once
/// ```
/// A packed message is kept packed so that nothing of zlib's is held while a peer takes its time. It is its own
/// check of
/// UTF-8, and [WsReader] its own budget, so that an idle connection has fewer objects.
final class WsMessage extends Utf8 {
    private final WsLimits limits;
    private final @Nullable MessageInflater inflater;
    private final WsSink sink;

    private boolean isOpen;
    private boolean isText;
    private boolean isPacked;
    private int fragments;

    /// Announced by the headers so far.
    private long bytes;

    private @Nullable Gathered packed;

    WsMessage(WsLimits limits, @Nullable MessageInflater inflater, WsSink sink) {
        this.limits = limits;
        this.inflater = inflater;
        this.sink = sink;
    }

    WsLimits limits() {
        return limits;
    }

    boolean isOpen() {
        return isOpen;
    }

    /// Whether a frame, whose kind is right here, may be so long.
    void check(int opcode, long length) throws WsError {
        boolean goesOn = opcode == WsCodes.CONTINUATION;
        if (length > limits.messageBytes() - (goesOn ? bytes : 0)) throw limits.tooLong();
        if (goesOn && fragments == limits.fragments()) {
            throw new WsError(
                    WsCodes.POLICY,
                    "a message in more than " + limits.fragments() + " fragments",
                    HttpGuards.WS_FRAGMENTS);
        }
    }

    /// A frame begins that has been checked.
    void begins(int opcode, boolean isCompressed, long length) {
        if (opcode != WsCodes.CONTINUATION) {
            isOpen = true;
            isText = opcode == WsCodes.TEXT;
            isPacked = isCompressed;
            fragments = 0;
            bytes = 0;
            reset();
        }
        bytes += length;
        fragments++;
    }

    /// Takes the next bytes; what it leaves is dropped.
    void part(LoopInput part, boolean isLast, SlabSource source) throws WsError {
        if (isLast) isOpen = false;
        if (!isPacked) passOn(part, isLast);
        else if (isLast) unpack(part, source);
        else keep(part, source);
    }

    private void passOn(LoopInput part, boolean isLast) throws WsError {
        if (isText && !(accepts(part) && (!isLast || isComplete())))
            throw new WsError(WsCodes.INVALID_PAYLOAD, "a text that is not UTF-8");
        sink.part(isText, part, isLast);
    }

    private void keep(LoopInput part, SlabSource source) throws WsError {
        if (packed == null) packed = new Gathered(source);
        packed.take(part, source);
        WholeMessage.checkMemory(packed, source);
    }

    private void unpack(LoopInput last, SlabSource source) throws WsError {
        var unpacked = LoopOutput.aside(source);
        var all = new LoopInput(source);
        try {
            if (packed != null) packed.take(last, source);
            inflater().inflate(packed != null ? packed.whole(source) : last, unpacked, limits);
            release(source);
            all.appendAll(unpacked);
            all.lend(source);
            passOn(all, true);
        } finally {
            release(source);
            unpacked.release();
            all.release();
        }
    }

    private MessageInflater inflater() {
        if (inflater == null) throw new IllegalStateException("a packed message, which was not agreed on");
        return inflater;
    }

    /// May be called several times.
    void release(SlabSource source) {
        if (packed != null) packed.release(source);
        packed = null;
    }
}
