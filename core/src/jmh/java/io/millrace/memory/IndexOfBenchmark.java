package io.millrace.memory;

import io.millrace.bytes.Bytes;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Search for the end of a line or of a header: what is wanted is at the very end.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class IndexOfBenchmark {
    private static final Bytes END = Bytes.utf8("\r\n\r\n");

    @Param({"64", "600", "16384"})
    int length;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);
    private byte[] array = {};

    @Setup
    public void arrive() {
        array = new byte[length];
        Arrays.fill(array, (byte) 'a');
        for (int i = 60; i < length - 4; i += 60) array[i] = '\r';
        System.arraycopy(END.toArray(), 0, array, length - 4, 4);
        var slab = pool.take(true, Slab.Owner.KERNEL);
        slab.view().put(0, array);
        slab.end = length;
        input.append(slab, Slab.Owner.KERNEL);
        input.lend(pool);
    }

    @Benchmark
    public long aByte() {
        return input.indexOf((byte) '\n');
    }

    /// With a false beginning every 60 bytes.
    @Benchmark
    public long fourBytes() {
        return input.indexOf(END, 0);
    }

    /// For comparison: the plain loop over an array.
    @Benchmark
    public int aByteInAnArray() {
        for (int i = 0; i < array.length; i++) if (array[i] == '\n') return i;
        return -1;
    }
}
