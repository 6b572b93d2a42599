package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Random;

/// Both ends of a connection without the connection: what is written to the output is taken out as an array, and
/// arrives at the input in whatever pieces a test wants.
final class Wire implements AutoCloseable, LoopOutput.Watcher {
    static final SocketAddress PEER = new InetSocketAddress("192.0.2.1", 7);

    final SlabPool pool = new SlabPool(64 << 20, true);
    final LoopInput input = new LoopInput(pool);
    final LoopOutput output;

    /// How often the output was found full.
    int timesFull;

    Wire() {
        this(Long.MAX_VALUE);
    }

    Wire(long markBytes) {
        output = new LoopOutput(pool, markBytes, this);
        input.lend(pool);
    }

    <M> Frames<M> frames(Framing framing, Codec<M> codec) {
        return new Frames<>(framing, codec, () -> PEER);
    }

    /// Arrives in one piece.
    void arrive(byte[] bytes) {
        arrive(bytes, 0, bytes.length);
    }

    /// Arrives in a slab of its own: it ends where the slab ends, so that nothing joins it there.
    void arrive(byte[] bytes, int from, int to) {
        for (int at = from; at < to; ) {
            var slab = Objects.requireNonNull(pool.takeForReceive());
            int length = Math.min(to - at, slab.capacity());
            slab.end = slab.capacity();
            slab.start = slab.end - length;
            MemorySegment.copy(bytes, at, slab.memory, ValueLayout.JAVA_BYTE, slab.start, length);
            input.append(slab, Slab.Owner.KERNEL);
            at += length;
        }
        input.lend(pool);
    }

    /// Arrives as it does from a transport: small pieces are copied behind the ones before.
    void trickle(byte[] bytes, int from, int to) {
        for (int at = from; at < to; ) {
            var slab = Objects.requireNonNull(pool.takeForReceive());
            int length = Math.min(to - at, slab.capacity());
            slab.end = length;
            MemorySegment.copy(bytes, at, slab.memory, ValueLayout.JAVA_BYTE, 0, length);
            input.append(slab, Slab.Owner.KERNEL);
            at += length;
        }
        input.lend(pool);
    }

    /// Takes out what was written.
    byte[] written() {
        for (var slab = output.chain().head(); slab != null; slab = slab.next()) {
            assertTrue(slab.readable() > 0, "an empty slab in the output, which no transport would finish");
        }
        var bytes = output.toBytes().toArray();
        output.release();
        return bytes;
    }

    /// So many random bytes.
    static byte[] random(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Override
    public void outputBegan() {}

    @Override
    public void outputIsFull() {
        timesFull++;
    }

    @Override
    public void close() {
        input.release();
        output.release();
        assertEquals(0, pool.missing(), "slabs that did not come home");
    }
}
