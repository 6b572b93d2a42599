package io.millrace.sim;

import io.millrace.loop.EventLoop;
import io.millrace.memory.SlabPool;
import io.millrace.sim.network.Memory;
import java.io.IOException;
import java.util.concurrent.Callable;

/// A production event loop without a thread: the simulation's driver lends it one for a turn, so that code of
/// one loop is never accidentally "in" another.
final class SimulatedLoop {
    final EventLoop loop;
    private final World world;
    private final Memory transport;
    private final int index;

    /// It has nothing to do until it is woken, the network has something for it, or a timer is due. Written by
    /// the driver, and by the JVM's thread that hands out monitors.
    private volatile boolean isAsleep;

    SimulatedLoop(World world, int index, long memoryBytes, boolean carries) {
        var pool = new SlabPool(memoryBytes, true);
        this.world = world;
        this.index = index;
        this.transport = new Memory(pool, world.network, () -> isAsleep = false);
        this.loop = new EventLoop("simulated-" + index, transport, pool, world::clockNanos, carries, world.threads);
    }

    boolean isRestless() {
        return !loop.isClosed() && (!isAsleep || transport.isReady() || loop.nextTimerNanos() == 0);
    }

    long nextTimerNanos() {
        return loop.isClosed() ? Long.MAX_VALUE : loop.nextTimerNanos();
    }

    void turn() {
        if (loop.isClosed()) return;
        world.network.trace().mark(world.network.nowNanos(), index);
        loop.adoptThread();
        try {
            loop.turn(false);
        } finally {
            loop.leaveThread();
        }
        isAsleep = loop.rest();
    }

    /// Runs work as the loop's thread.
    <T> T call(Callable<T> work) throws IOException {
        boolean wasInLoop = loop.inLoop();
        loop.adoptThread();
        try {
            return work.call();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            if (!wasInLoop) loop.leaveThread();
            isAsleep = false;
        }
    }

    void abortAll() {
        inLoop(loop::abortAll);
    }

    void checkMemory() {
        long missing = loop.pool().missing();
        if (missing == 0) return;
        world.fail(new IllegalStateException(missing + " slabs of " + loop.name() + " were not returned"));
        world.throwFailure();
    }

    /// Stops the loop. Missing memory was reported before, or follows from a reported failure.
    void close() {
        try {
            inLoop(() -> loop.close(0));
        } catch (AssertionError e) {
            if (!world.hasFailed()) throw e;
        }
    }

    private void inLoop(Runnable work) {
        loop.adoptThread();
        try {
            work.run();
        } finally {
            loop.leaveThread();
            isAsleep = false;
        }
    }
}
