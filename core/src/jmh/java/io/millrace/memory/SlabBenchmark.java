package io.millrace.memory;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What a message pays for its memory, on the loop and on a thread that borrows.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class SlabBenchmark implements LoopOutput.Watcher {
    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final SlabPool unpooled = new SlabPool(64 << 20, false);
    private final LoopInput input = new LoopInput(pool);
    private final LoopOutput output = new LoopOutput(pool, Long.MAX_VALUE, this);

    @Override
    public void outputBegan() {}

    @Override
    public void outputIsFull() {}

    @Benchmark
    public Slab takeAndGive() {
        var slab = pool.take(true, Slab.Owner.KERNEL);
        pool.give(slab, Slab.Owner.KERNEL);
        return slab;
    }

    /// All that an echo does with memory: received, lent, moved, sent.
    @Benchmark
    public long receiveMoveAndSend() {
        var slab = pool.takeForReceive();
        slab.end = 64;
        input.append(slab, Slab.Owner.KERNEL);
        input.lend(pool);
        output.move(input);
        input.endLoan(pool);
        return send(pool);
    }

    /// A session on the JDK's scheduler writes an answer, the loop sends it.
    @Benchmark
    public long borrowWriteAndSend() {
        output.drawFrom(pool.reserve());
        output.writeLong(1);
        output.drawFrom(pool);
        return send(pool);
    }

    /// What `slabs = unpooled` of the lab compares with: the collector's work is not all of it in here.
    @Benchmark
    public long receiveMoveAndSendUnpooled() {
        var slab = unpooled.takeForReceive();
        slab.end = 64;
        input.append(slab, Slab.Owner.KERNEL);
        input.lend(unpooled);
        output.move(input);
        input.endLoan(unpooled);
        return send(unpooled);
    }

    private long send(SlabPool to) {
        var chain = output.chain();
        long size = chain.size();
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        chain.releaseAll(Slab.Owner.KERNEL, to);
        return size;
    }
}
