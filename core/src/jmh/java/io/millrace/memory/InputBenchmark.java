package io.millrace.memory;

import io.millrace.bytes.Input;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What a decoder pays for each number: in one slab, and where slabs meet.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class InputBenchmark {
    private static final int LONGS = SlabPool.LARGE / Long.BYTES;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput full = new LoopInput(pool);
    private final LoopInput cut = new LoopInput(pool);
    private final byte[] array = new byte[64];

    @Setup
    public void arrive() {
        var first = filled(100);
        var chain = new Chain();
        chain.append(first);
        chain.append(filled(100));
        cut.appendAll(chain);
        cut.lend(pool);
    }

    private Slab filled(int length) {
        var slab = pool.take(true, Slab.Owner.INPUT);
        slab.end = length;
        return slab;
    }

    /// The slab is taken anew each time, which is spread over all that is read from it.
    private Input arrived() {
        var slab = pool.take(true, Slab.Owner.KERNEL);
        slab.end = slab.capacity();
        full.append(slab, Slab.Owner.KERNEL);
        full.lend(pool);
        return full;
    }

    @Benchmark
    @OperationsPerInvocation(LONGS)
    public long readLong() {
        var in = arrived();
        long sum = 0;
        for (int i = 0; i < LONGS; i++) sum += in.readLong();
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(2 * LONGS)
    public int readInt() {
        var in = arrived();
        int sum = 0;
        for (int i = 0; i < 2 * LONGS; i++) sum += in.readInt();
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(8 * LONGS)
    public int readByte() {
        var in = arrived();
        int sum = 0;
        for (int i = 0; i < 8 * LONGS; i++) sum += in.readByte();
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(LONGS / 8)
    public byte readIntoArray() {
        var in = arrived();
        for (int i = 0; i < LONGS / 8; i++) in.read(array, 0, array.length);
        return array[7];
    }

    @Benchmark
    public int peekIntAcrossSlabs() {
        return cut.peekInt(98);
    }

    @Benchmark
    public long peekLongAcrossSlabs() {
        return cut.peekLong(96);
    }

    @Benchmark
    public long peekLongInTheSecondSlab() {
        return cut.peekLong(120);
    }
}
