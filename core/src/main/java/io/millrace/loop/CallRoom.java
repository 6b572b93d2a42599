package io.millrace.loop;

import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;

/// What a loop's own thread may use during one call: one for each loop, so that thousands of connections need
/// none. Whoever uses it leaves the output empty.
public final class CallRoom {
    private static final int BYTES = 4 << 10;

    private final SlabPool pool;
    private final LoopOutput output;
    private final byte[] bytes = new byte[BYTES];

    CallRoom(SlabPool pool) {
        this.pool = pool;
        this.output = LoopOutput.aside(pool);
    }

    /// An output beside those of connections.
    public LoopOutput output() {
        // A loop may be run by one thread after the other.
        output.drawFrom(pool);
        return output;
    }

    public byte[] bytes() {
        return bytes;
    }
}
