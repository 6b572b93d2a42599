package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// What arrives in parts, until it is whole: slabs move, only small parts are copied. Each call names where slabs come
/// from now, because the threads may differ.
public final class Gathered {
    /// The most bytes of what is not whole while memory is tight.
    private static final long MOST_WHEN_TIGHT = 16 << 10;

    private final LoopOutput arriving;
    private final LoopInput data;

    public Gathered(SlabSource source) {
        this.arriving = LoopOutput.aside(source);
        this.data = new LoopInput(source);
    }

    public long size() {
        return data.size();
    }

    /// Takes all of a part.
    public void take(Input part, SlabSource source) {
        arriving.drawFrom(source);
        arriving.move(part, part.remaining());
        data.endLoan(source);
        data.appendAll(arriving);
        // A byte now and then must not pin a large slab.
        data.compact();
    }

    /// Whether it is more than may wait while memory is tight, as it is now.
    public boolean isTooMuch(SlabSource source) {
        return data.size() > MOST_WHEN_TIGHT && source.isTight();
    }

    /// All of it, lent until [#release].
    public LoopInput whole(SlabSource source) {
        data.lend(source);
        return data;
    }

    /// May be called several times.
    public void release(SlabSource source) {
        arriving.drawFrom(source);
        arriving.release();
        data.endLoan(source);
        data.release();
    }
}
