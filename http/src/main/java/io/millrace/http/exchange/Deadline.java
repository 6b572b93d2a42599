package io.millrace.http.exchange;

import io.millrace.loop.EventLoop;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A moment that moves with each request, at the price of a timer now and then: one that comes too early is set
/// again for the rest. Set by the connection's thread, acts on its loop.
public final class Deadline {
    private static final long NONE = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Runnable expired;
    private volatile long atNanos = NONE;

    /// When the timer comes; [#NONE] when there is none. Written by the loop.
    private volatile long timerNanos = NONE;

    private Loop.@Nullable Timer timer;

    public Deadline(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    /// From now on, so far away.
    public void after(long nanos) {
        long at = loop.nowNanos() + nanos;
        atNanos = at;
        long timer = timerNanos;
        // It comes early enough, and sees to the rest.
        if (timer != NONE && timer - at <= 0) return;
        if (loop.inLoop()) update();
        else onLoop(this::update);
    }

    public void clear() {
        atNanos = NONE;
    }

    private void update() {
        long at = atNanos;
        boolean comesInTime = timerNanos != NONE && timerNanos - at <= 0;
        if (at == NONE || comesInTime) return;
        if (timer != null) timer.cancel();
        timerNanos = at;
        timer = loop.after(Duration.ofNanos(Math.max(0, at - loop.nowNanos())), this::fire);
    }

    private void fire() {
        timerNanos = NONE;
        timer = null;
        long at = atNanos;
        if (at == NONE) return;
        if (at - loop.nowNanos() > 0) update();
        else expired.run();
    }

    /// For good; on the loop or not.
    public void cancel() {
        atNanos = NONE;
        onLoop(() -> {
            if (timer != null) timer.cancel();
        });
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop is gone, and its timers with it.
        }
    }
}
