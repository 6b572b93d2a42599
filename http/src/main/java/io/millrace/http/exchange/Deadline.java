package io.millrace.http.exchange;

import io.millrace.loop.EventLoop;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A deadline that moves with each request, without a new timer each time: a timer that comes too early is set
/// again for the rest. Set by the connection's thread, acts on its loop.
public final class Deadline {
    private static final long NONE = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Runnable expired;
    private volatile long atNanos = NONE;

    /// When the timer comes; [#NONE] if there is none. Written by the loop.
    private volatile long timerNanos = NONE;

    private Loop.@Nullable Timer timer;

    public Deadline(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    /// Sets the deadline, counted from now.
    public void after(long nanos) {
        long at = loop.nowNanos() + nanos;
        atNanos = at;
        long timer = timerNanos;
        // The timer comes early enough, and is set again then.
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
