package io.millrace.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What one part of a file costs on its way into an output; the file is in the kernel's cache.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
public class ChannelBenchmark {
    @Param({"300", "16384", "65536"})
    int length;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopOutput output = LoopOutput.aside(pool);
    private Path path;
    private FileChannel channel;

    @Setup
    public void open() throws IOException {
        path = Files.createTempFile("millrace", ".bench");
        Files.write(path, new byte[length]);
        channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    @TearDown
    public void close() throws IOException {
        channel.close();
        Files.delete(path);
    }

    @Benchmark
    public int write() throws IOException {
        channel.position(0);
        int count = output.write(channel, length);
        output.release();
        return count;
    }
}
