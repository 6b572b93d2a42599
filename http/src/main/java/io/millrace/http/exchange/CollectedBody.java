package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Gathered;
import io.millrace.loop.CoreGuards;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabSource;

/// A request's body that is collected until it is whole.
final class CollectedBody {
    private final long most;
    private final Gathered data;

    /// @param most how long it may become, in bytes
    CollectedBody(long most, SlabSource source) {
        this.most = most;
        this.data = new Gathered(source);
    }

    /// Takes all of a part.
    ///
    /// @throws Refusal when it is too long
    void take(Input part, SlabSource source) throws Refusal {
        long size = data.size() + part.remaining();
        if (size > most) throw new Refusal(413, "a body of more than " + most, HttpGuards.BODY);
        data.take(part, source);
    }

    /// When memory is tight, large unfinished bodies are refused.
    void checkMemory(SlabSource source) throws Refusal {
        if (data.isTooMuch(source))
            throw new Refusal(503, "a body to be collected while memory is tight", CoreGuards.SLABS);
    }

    /// All of it, lent until [#release].
    LoopInput whole(SlabSource source) {
        return data.whole(source);
    }

    /// May be called several times.
    void release(SlabSource source) {
        data.release(source);
    }
}
