package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import java.util.HexFormat;

/// Where a writer writes to. Closing it asserts that all slabs came home.
final class WrittenFrames implements AutoCloseable {
    final SlabPool pool;
    final LoopOutput out;

    WrittenFrames() {
        this(new SlabPool(64 << 20, true));
    }

    /// @param pool which may serve many, one after the other
    WrittenFrames(SlabPool pool) {
        this.pool = pool;
        this.out = LoopOutput.aside(pool);
    }

    /// What was written since the last call.
    byte[] bytes() {
        var bytes = out.toBytes().toArray();
        out.release();
        return bytes;
    }

    String hex() {
        return HexFormat.of().formatHex(bytes());
    }

    /// Bytes in slabs of their own, to be moved.
    LoopInput part(byte[] bytes) {
        var written = LoopOutput.aside(pool);
        written.write(bytes, 0, bytes.length);
        var part = new LoopInput(pool);
        part.appendAll(written);
        part.lend(pool);
        return part;
    }

    @Override
    public void close() {
        out.release();
        assertEquals(0, pool.bytesOut(), "bytes of slabs that did not come home");
        assertEquals(0, MessageDeflater.EACH_MESSAGE.inUse(), "deflaters that did not come home");
    }
}
