package io.millrace.http.ws;

import io.millrace.bytes.Bytes;
import io.millrace.http.message.Gathered;
import io.millrace.loop.CoreGuards;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabSource;
import org.jspecify.annotations.Nullable;

/// A message that arrives in parts and becomes a value. One that arrives as a whole is read where it lies. It is kept
/// no longer than until it is a value.
///
/// ```
///   add ─► add ─► … ─► text, or bytes, with the last part ─► nothing is kept
/// ```
/// How long it becomes is bounded by [WsReader].
public final class WholeMessage {
    private @Nullable Gathered parts;

    /// A part that is not the last one.
    ///
    /// @throws WsError if memory is tight and it is large already
    public void add(LoopInput part, SlabSource source) throws WsError {
        if (parts == null) parts = new Gathered(source);
        parts.take(part, source);
        checkMemory(parts, source);
    }

    static void checkMemory(Gathered parts, SlabSource source) throws WsError {
        if (!parts.isTooMuch(source)) return;
        throw new WsError(WsCodes.TRY_AGAIN_LATER, "a message in parts while memory is tight", CoreGuards.SLABS);
    }

    /// The message, a text.
    public String text(LoopInput last, SlabSource source) {
        try {
            var all = whole(last, source);
            return all.readUtf8(all.remaining());
        } finally {
            release(source);
        }
    }

    /// The message.
    public Bytes bytes(LoopInput last, SlabSource source) {
        try {
            var all = whole(last, source);
            return all.readBytes(all.remaining());
        } finally {
            release(source);
        }
    }

    private LoopInput whole(LoopInput last, SlabSource source) {
        if (parts == null) return last;
        parts.take(last, source);
        return parts.whole(source);
    }

    /// The connection is over; may be called several times.
    public void release(SlabSource source) {
        if (parts != null) parts.release(source);
        parts = null;
    }
}
