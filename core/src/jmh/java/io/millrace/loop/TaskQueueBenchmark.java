package io.millrace.loop;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/// Read the time of the `add` of a group: it is the time per task that got through, because producers hold back
/// while `MOST_WAITING` tasks wait. Three threads need three cores to be compared with two.
@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TaskQueueBenchmark {
    private static final int BATCH = 100;
    private static final int MOST_WAITING = 100_000;

    private final Runnable task = () -> {};
    private final TaskQueue queue = new TaskQueue((failed, failure) -> {
        throw new IllegalStateException(failed.toString(), failure);
    });

    /// What a continuation costs that a loop hands to itself.
    @Benchmark
    @Group("ownLoop")
    public int addAndDrain() {
        queue.add(task);
        return queue.drain();
    }

    @Benchmark
    @Group("ownLoopBatch")
    @OperationsPerInvocation(BATCH)
    public int addBatchAndDrain() {
        for (int i = 0; i < BATCH; i++) {
            queue.add(task);
        }
        return queue.drain();
    }

    /// What the end of a turn costs when nobody has added anything.
    @Benchmark
    @Group("emptyTurn")
    public int turnWithoutTasks() {
        queue.prepareToWait();
        queue.awake();
        return queue.drain();
    }

    @Benchmark
    @Group("oneProducer")
    @GroupThreads(1)
    public void addAlone(Control control) {
        addWhenThereIsRoom(control);
    }

    @Benchmark
    @Group("oneProducer")
    @GroupThreads(1)
    public int drainOne() {
        return queue.drain();
    }

    @Benchmark
    @Group("twoProducers")
    @GroupThreads(2)
    public void addBesideAnother(Control control) {
        addWhenThereIsRoom(control);
    }

    @Benchmark
    @Group("twoProducers")
    @GroupThreads(1)
    public int drainTwo() {
        return queue.drain();
    }

    private void addWhenThereIsRoom(Control control) {
        while (queue.size() > MOST_WAITING && !control.stopMeasurement) {
            Thread.onSpinWait();
        }
        queue.add(task);
    }
}
