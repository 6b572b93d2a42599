package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.millrace.bytes.Bytes;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The frame that is being written to a [LoopOutput]: its header is known only when its body is complete, and until
/// then nothing of it may be sent.
///
/// ```
///   ── begin ──► OPEN: the codec writes ── end ──► closed, the watcher hears of a full output
///                  └──────── drop ───────────────► closed, the output is as it was
/// ```
/// Positions are counted in bytes from the frame's first byte, including spare ones.
public final class OpenFrame {
    private final LoopOutput output;
    private final Chain chain;

    private boolean isOpen;

    /// The slab in which the frame begins, or after whose end; null when it begins the output.
    private @Nullable Slab first;

    private int start;
    private long before;
    private int ownBytes;

    /// The position in its slab of the byte that was looked up last.
    private long found;

    OpenFrame(LoopOutput output) {
        this.output = output;
        this.chain = output.chain();
    }

    /// Begins a frame with `spareBytes` that are filled in, or cut off, when its body is written.
    ///
    /// @param ownBytes how many bytes at its beginning will be changed, and must not be a value's
    public void begin(int spareBytes, int ownBytes) {
        if (isOpen) {
            throw new IllegalStateException(
                    "a frame is already being written: encode must write its one message and not send another");
        }
        // Without spare bytes no slab is taken: it would stay empty when the body begins with one of its own.
        var slab = spareBytes > 0 ? output.tailWithRoom(spareBytes) : chain.tail();
        first = slab;
        start = slab == null ? 0 : slab.end;
        before = chain.size();
        this.ownBytes = ownBytes;
        isOpen = true;
        if (slab != null) slab.end += spareBytes;
        chain.grew(spareBytes);
    }

    boolean isOpen() {
        return isOpen;
    }

    /// Whether what is written next will be changed.
    boolean mustOwn() {
        return isOpen && size() < ownBytes;
    }

    public long size() {
        return chain.size() - before;
    }

    public byte get(long at) {
        var slab = find(at);
        return slab.memory.get(JAVA_BYTE, found);
    }

    public void set(long at, int value) {
        var slab = find(at);
        slab.memory.set(JAVA_BYTE, found, (byte) value);
    }

    /// The slab that has the byte, at [#found].
    private Slab find(long at) {
        var slab = first();
        long index = startIn(slab) + at;
        while (index >= slab.end) {
            var next = after(slab);
            index += next.start - slab.end;
            slab = next;
        }
        found = index;
        return slab;
    }

    /// Where a value first occurs, or -1.
    public long indexOf(Bytes wanted) {
        var slab = first();
        return Scan.indexOf(slab, startIn(slab), size(), wanted);
    }

    /// Cuts off the first `length` bytes, which must be spare: what follows them in their slab moves up.
    public void cut(int length) {
        if (length == 0) return;
        var slab = first();
        int rest = slab.end - start - length;
        MemorySegment.copy(slab.memory, (long) start + length, slab.memory, start, rest);
        slab.end -= length;
        chain.shrank(length);
    }

    /// Completes the frame.
    public void end() {
        isOpen = false;
        first = null;
        output.checked();
    }

    /// Drops the frame: the output is as it was before.
    public void drop() {
        if (!isOpen) return;
        isOpen = false;
        first = null;
        output.truncate(before);
    }

    private Slab first() {
        var slab = first == null ? chain.head() : first;
        if (slab == null || !isOpen) throw new IndexOutOfBoundsException("the frame is empty");
        return slab;
    }

    private int startIn(Slab slab) {
        return first == null ? slab.start : start;
    }

    private static Slab after(Slab slab) {
        var next = slab.next;
        if (next == null) throw new IndexOutOfBoundsException("a position after the frame's end");
        return next;
    }
}
