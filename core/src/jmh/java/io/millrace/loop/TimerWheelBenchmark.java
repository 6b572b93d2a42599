package io.millrace.loop;

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

/// Idle timeouts of 30 s, one per connection, spread evenly: what a loop with many quiet connections has in its
/// wheel.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TimerWheelBenchmark {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Param({"1", "1000", "1000000"})
    int pending;

    private final Runnable task = () -> {};
    private TimerWheel wheel;
    private IdleTimeout[] timeouts;
    private long nowNanos;
    private int random = 1;

    @Setup
    public void fill() {
        nowNanos = System.nanoTime();
        wheel = new TimerWheel(nowNanos, (timer, failure) -> {
            throw new IllegalStateException(timer.toString(), failure);
        });
        timeouts = new IdleTimeout[pending];
        for (int i = 0; i < pending; i++) {
            timeouts[i] = new IdleTimeout();
            wheel.schedule(timeouts[i], nowNanos + TIMEOUT_NANOS * (i + 1) / pending);
        }
    }

    /// What one use of `loop.after` costs if it does not come to fire.
    @Benchmark
    public void scheduleAndCancel() {
        wheel.schedule(nowNanos + randomDelayNanos(), task).cancel();
    }

    /// What a message costs on a connection with an idle timeout: random connections, hence cache misses.
    @Benchmark
    public void move() {
        wheel.schedule(timeouts[randomTimeout()], nowNanos + randomDelayNanos());
    }

    /// What a turn costs when no tick has passed since the last one.
    @Benchmark
    public long turnWithinTick() {
        return wheel.advance(nowNanos) + wheel.nextDeadlineNanos();
    }

    /// What a tick costs; it fires and re-arms `pending / 30000` timers on average.
    @Benchmark
    public long tick() {
        nowNanos += TimerWheel.TICK_NANOS;
        return wheel.advance(nowNanos) + wheel.nextDeadlineNanos();
    }

    private int randomTimeout() {
        return (int) ((nextRandom() & 0xFFFF_FFFFL) * pending >>> 32);
    }

    private long randomDelayNanos() {
        return (nextRandom() & 0xFFFF_FFFFL) * TIMEOUT_NANOS >>> 32;
    }

    /// Xorshift: cheaper than what is measured.
    private int nextRandom() {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        return random;
    }

    private final class IdleTimeout extends TimerWheel.WheelTimer {
        @Override
        protected void fire() {
            wheel.schedule(this, nowNanos + TIMEOUT_NANOS);
        }
    }
}
