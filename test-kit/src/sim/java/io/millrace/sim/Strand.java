package io.millrace.sim;

import io.millrace.loop.LoopThreads;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A virtual thread of the JDK's scheduler that runs in lockstep with the simulation's driving thread: one of
/// the two runs, the other waits.
///
/// ```
///   driver:  ── soon ──► goOn: hand over, wait ─────────────────────────► drive on
///   strand:              └──► run until it parks in a call of ours, or ends ──┘
/// ```
final class Strand {
    private static final long PATIENCE_SECONDS = 30;

    private final World world;
    private final Thread thread;
    private final Semaphore turn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);

    /// Passed on with the turn, like the rest.
    private boolean mayGoOn;

    private boolean isParked;

    Strand(World world, Thread.Builder.OfVirtual builder, Runnable life) {
        this.world = world;
        this.thread = builder.unstarted(() -> {
            turn.acquireUninterruptibly();
            try {
                life.run();
            } finally {
                back.release();
            }
        });
    }

    Thread thread() {
        return thread;
    }

    void start() {
        thread.start();
        world.soon(this::goOn);
    }

    /// By the strand itself.
    void park() {
        if (!mayGoOn) {
            isParked = true;
            back.release();
            turn.acquireUninterruptibly();
        }
        mayGoOn = false;
    }

    /// By the running thread: the driver, or another strand.
    void unpark() {
        if (mayGoOn) return;
        mayGoOn = true;
        if (!isParked) return;
        isParked = false;
        world.soon(this::goOn);
    }

    private void goOn() {
        turn.release();
        try {
            if (back.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        world.fail(SimulatedThreads.withStack(
                thread,
                thread + " waits for something other than its connection, which a simulation supports only with "
                        + "carriers: "
                        + LoopThreads.cannotCarryBecause().orElse("switch them on")));
    }
}
