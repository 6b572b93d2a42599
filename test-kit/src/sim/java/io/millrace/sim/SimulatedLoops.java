package io.millrace.sim;

import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopGroup;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/// Event loops that the simulation runs, on its own thread and in its own time.
final class SimulatedLoops implements LoopGroup {
    private static final long CLOSE_PATIENCE_NANOS = 2_000_000_000L;

    private final World world;
    private final List<SimulatedLoop> simulated = new ArrayList<>();
    private final List<EventLoop> loops = new ArrayList<>();

    SimulatedLoops(World world, int count, long memoryBytes) {
        this.world = world;
        for (int i = 0; i < count; i++) {
            var loop = new SimulatedLoop(world, i, memoryBytes, world.threads.carries());
            world.add(loop);
            simulated.add(loop);
            loops.add(loop.loop);
        }
    }

    @Override
    public List<EventLoop> loops() {
        return loops;
    }

    @Override
    public <T> T call(EventLoop loop, Callable<T> work) throws IOException {
        return simulated.get(loops.indexOf(loop)).call(work);
    }

    @Override
    public boolean await(Duration patience, BooleanSupplier isTrue) {
        return world.runUntil(world.network.nowNanos() + ConnectionSettings.nanos(patience, "a patience"), isTrue);
    }

    @Override
    public Executor workers(int threads) {
        return new Workers(world.threads, threads);
    }

    /// Closes everything, and fails if a thread still runs or memory is missing.
    @Override
    public void close() {
        if (loops.getFirst().isClosed()) return;
        world.drive(() -> {
            driveToTheEnd();
            return true;
        });
    }

    private void driveToTheEnd() {
        try {
            if (!world.hasFailed()) closeInOrder();
        } finally {
            for (var loop : simulated) loop.close();
        }
    }

    private void closeInOrder() {
        for (var loop : simulated) loop.abortAll();
        world.runUntil(world.network.nowNanos() + CLOSE_PATIENCE_NANOS, () -> false);
        world.threads.checkEverybodyEnded();
        for (var loop : simulated) loop.checkMemory();
    }
}
