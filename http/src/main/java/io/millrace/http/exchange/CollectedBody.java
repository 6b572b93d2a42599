package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.loop.CoreGuards;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// A request's body that is collected until it is whole: slabs move, only small parts are copied.
final class CollectedBody {
    /// The most bytes of it while memory is tight.
    private static final long MOST_WHEN_TIGHT = 16 << 10;

    private final long most;
    private final LoopOutput arriving;
    private final LoopInput data;

    /// @param most how long it may become, in bytes
    CollectedBody(long most, SlabSource source) {
        this.most = most;
        this.arriving = LoopOutput.aside(source);
        this.data = new LoopInput(source);
    }

    /// Takes all of a part.
    ///
    /// @throws Refusal when it is too long
    void take(Input part, SlabSource source) throws Refusal {
        long size = data.size() + part.remaining();
        if (size > most) throw new Refusal(413, "a body of more than " + most, HttpGuards.BODY);
        arriving.drawFrom(source);
        arriving.move(part, part.remaining());
        data.endLoan(source);
        data.appendAll(arriving);
        // A byte now and then must not pin a large slab.
        data.compact();
    }

    /// When memory is tight, large unfinished bodies are refused.
    void checkMemory(SlabSource source) throws Refusal {
        if (data.size() > MOST_WHEN_TIGHT && source.isTight())
            throw new Refusal(503, "a body to be collected while memory is tight", CoreGuards.SLABS);
    }

    /// All of it, lent until [#release].
    LoopInput whole(SlabSource source) {
        data.lend(source);
        return data;
    }

    /// May be called several times.
    void release(SlabSource source) {
        arriving.drawFrom(source);
        arriving.release();
        data.endLoan(source);
        data.release();
    }
}
