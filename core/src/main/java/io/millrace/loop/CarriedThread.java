package io.millrace.loop;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The scheduler of one virtual thread that a loop carries. Each thread has its own, because threads that user
/// code starts in it inherit it (executors, structured scopes, the pool of a client), and these are not the
/// loop's: they would keep it from its connections, and each other from running. The JDK's scheduler gets them.
///
/// ```
///   the thread's own continuation ──► loop, which runs it as this object
///   every other                   ──► the JDK's scheduler
/// ```
final class CarriedThread implements Executor, Runnable {
    private final EventLoop loop;

    /// What it is for.
    final Work work;

    /// Which continuation is the thread's own: that of its start, because nothing of it has run before. Written by
    /// the thread that starts it, and by itself when its life is over, so that what it started does not keep it.
    private @Nullable Runnable own;

    /// Written once, before any thread that could have it from this one.
    private boolean hasBegun;

    /// Written by itself, read by the watchdog.
    private volatile @Nullable Thread thread;

    enum Work {
        SESSION,
        CALLS
    }

    CarriedThread(EventLoop loop, Work work) {
        this.loop = loop;
        this.work = work;
    }

    /// What the thread does.
    void live(Runnable life) {
        thread = Thread.currentThread();
        try {
            life.run();
        } finally {
            own = null;
            thread = null;
        }
    }

    /// Never rejects, because that would throw at whoever unparks the thread.
    @Override
    @SuppressWarnings("ReferenceEquality") // the continuation itself
    public void execute(Runnable continuation) {
        if (!hasBegun) {
            hasBegun = true;
            own = continuation;
        }
        if (own == continuation) loop.resume(this);
        else loop.host().runElsewhere(continuation);
    }

    /// Goes on; by the loop's platform thread.
    @Override
    public void run() {
        loop.carries(this);
        continuation().run();
        loop.carries(null);
    }

    /// For another scheduler, when the loop is gone.
    Runnable continuation() {
        var mine = own;
        if (mine == null) throw new IllegalStateException("a thread goes on that is over");
        return mine;
    }

    /// Null when it has not begun, or is over.
    @Nullable
    Thread thread() {
        return thread;
    }
}
