package io.millrace.loop;

import java.util.concurrent.RejectedExecutionException;

/// A deadline that moves with each message, without a new timer each time: one that comes too early sets itself
/// again for the rest. Set by the thread that has the connection, acts on its loop.
public abstract class Deadline extends TimerWheel.WheelTimer {
    private static final long NONE = Long.MAX_VALUE;

    private final EventLoop loop;
    private volatile long atNanos = NONE;

    /// When the wheel calls; [#NONE] if it does not. Written by the loop.
    private volatile long callNanos = NONE;

    protected Deadline(EventLoop loop) {
        this.loop = loop;
    }

    /// Sets the deadline, counted from now.
    public final void after(long nanos) {
        long at = now() + nanos;
        atNanos = at;
        if (comesInTime(at)) return;
        if (loop.inLoop()) update();
        else onLoop(this::update);
    }

    /// The time of the loop's turn may be long ago for another thread.
    private long now() {
        return loop.inLoop() ? loop.nowNanos() : loop.clock().getAsLong();
    }

    /// There is no deadline until the next [#after].
    public final void clear() {
        atNanos = NONE;
    }

    /// As [#clear], and leaves the loop's timers; on the loop or not.
    public final void stop() {
        atNanos = NONE;
        if (loop.inLoop()) cancel();
        else onLoop(this::cancel);
    }

    /// The deadline has passed; on the loop.
    protected abstract void expired();

    /// The wheel calls early enough, and the rest is set then.
    private boolean comesInTime(long at) {
        long call = callNanos;
        return call != NONE && call - at <= 0;
    }

    private void update() {
        long at = atNanos;
        if (at == NONE || comesInTime(at)) return;
        callNanos = at;
        loop.timers().schedule(this, at);
    }

    @Override
    protected final void fire() {
        callNanos = NONE;
        long at = atNanos;
        if (at == NONE) return;
        if (at - loop.nowNanos() > 0) update();
        else expired();
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and its timers with it.
        }
    }
}
