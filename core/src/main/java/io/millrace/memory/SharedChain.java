package io.millrace.memory;

import io.millrace.bytes.Bytes;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A value that many connections of one loop send, one after the other: a chain of one slab that refers to it,
/// and that is used again once it was sent. The loop's.
///
/// ```
///   next ─► SENT at once ─► next ─► …
///            └── TAKEN by the transport, which goes on sending it ─► next, with another slab
/// ```
public final class SharedChain {
    private final MemorySegment memory;
    private final Chain chain = new Chain();
    private @Nullable Slab slab;

    private SharedChain(MemorySegment memory) {
        this.memory = memory;
    }

    /// For a value of at least one byte; null when there is no memory outside the heap for it.
    public static @Nullable SharedChain of(Bytes value) {
        var memory = LoopOutput.outsideHeap(value);
        return memory == null ? null : new SharedChain(memory);
    }

    /// How many bytes it has.
    public long size() {
        return memory.byteSize();
    }

    /// All of it, for the next send.
    public Chain next() {
        var used = slab;
        if (used == null) {
            slab = used = Slab.referringTo(memory);
        } else {
            used.pass(Slab.Owner.KERNEL, Slab.Owner.OUTPUT);
            used.start = 0;
        }
        chain.append(used);
        return chain;
    }

    /// The last send has not ended yet.
    public void isTaken() {
        slab = null;
    }
}
