package io.millrace.memory;

import io.millrace.bytes.Bytes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What an encoder pays for each value, its share of the slabs included.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class OutputBenchmark implements LoopOutput.Watcher {
    private static final int COUNT = 512;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopOutput output = new LoopOutput(pool, Long.MAX_VALUE, this);
    private final byte[] array = new byte[64];
    private final byte[] large = new byte[16 << 10];
    private final Bytes value = Bytes.of(array);

    @Override
    public void outputBegan() {}

    @Override
    public void outputIsFull() {}

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long writeInt() {
        for (int i = 0; i < COUNT; i++) output.writeInt(i);
        return send();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long writeLong() {
        for (int i = 0; i < COUNT; i++) output.writeLong(i);
        return send();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long writeArrayOf64() {
        for (int i = 0; i < COUNT; i++) output.write(array, 0, array.length);
        return send();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long writeValueOf64() {
        for (int i = 0; i < COUNT; i++) output.write(value);
        return send();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long writeUtf8Of11() {
        for (int i = 0; i < COUNT; i++) output.writeUtf8("hello world");
        return send();
    }

    @Benchmark
    public long writeArrayOf16KiB() {
        output.write(large, 0, large.length);
        return send();
    }

    private long send() {
        long size = output.size();
        output.release();
        return size;
    }
}
