package io.millrace.http.memory;

import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;

/// The bytes that a connection has received, in the pieces in which they came: lent like its input, in slabs
/// of a pool.
public final class Arrivals {
    private final SlabPool pool;
    private final LoopInput in;
    private final LoopOutput arriving;
    private long arrived;

    public Arrivals(SlabPool pool) {
        this.pool = pool;
        this.in = new LoopInput(pool);
        this.arriving = LoopOutput.aside(pool);
    }

    /// More has arrived; it is lent until [#endLoan].
    public LoopInput receive(byte[] bytes, int from, int to) {
        arrived += to - from;
        arriving.drawFrom(pool);
        arriving.write(bytes, from, to - from);
        var chain = arriving.chain();
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        in.appendAll(chain);
        in.lend(pool);
        return in;
    }

    public void endLoan() {
        in.endLoan(pool);
    }

    /// Bytes read so far.
    public long read() {
        return arrived - in.size();
    }

    /// Bytes not read yet.
    public long unread() {
        return in.size();
    }

    public void release() {
        in.release();
    }
}
