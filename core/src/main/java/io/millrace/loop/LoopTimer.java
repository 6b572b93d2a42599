package io.millrace.loop;

import io.millrace.net.Loop;

/// A user's timer: any thread may cancel it, while the timer in the wheel is the loop's.
final class LoopTimer implements Loop.Timer {
    final TimerWheel.WheelTimer inWheel;
    private final EventLoop loop;

    /// Written by any thread, read by the loop's.
    private volatile boolean isCancelled;

    /// @param never runs in place of the task when the loop ends before
    LoopTimer(EventLoop loop, Runnable task, Runnable never) {
        this.loop = loop;
        this.inWheel = new TimerWheel.WheelTimer() {
            @Override
            protected void fire() {
                if (!isCancelled) task.run();
            }

            @Override
            protected void ended() {
                if (!isCancelled) never.run();
            }
        };
    }

    @Override
    public void cancel() {
        isCancelled = true;
        // If another thread made it a moment ago, it is still on its way into the wheel: then this task follows it.
        if (loop.inLoop() && inWheel.isScheduled()) inWheel.cancel();
        else loop.returned(inWheel::cancel);
    }
}
