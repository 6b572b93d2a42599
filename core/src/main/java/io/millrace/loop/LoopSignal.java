package io.millrace.loop;

import org.jspecify.annotations.Nullable;

/// Lets one thread wait, again and again, for a signal of others; a wait allocates nothing. The thread arms the
/// signal before it checks whether it must wait:
///
/// ```java
/// for (signal.expect(); !isThere(); signal.expect()) signal.await();
/// ```
/// Check before whether the thread may wait ([EventLoop#checkMayWait]).
public final class LoopSignal implements LoopWait {
    private final EventLoop loop;

    /// What is awaited, in messages.
    private final Object what;

    private volatile boolean isTold;
    private volatile @Nullable Thread waiting;

    /// How many waits have begun. Written by the thread that waits, read by the watchdog.
    private volatile int waits;

    /// The number of the wait that cannot end, and why. Written by the watchdog, the reason first.
    private volatile int waitInVain = -1;

    private @Nullable String whyInVain;

    /// @param loop that sends the signal
    /// @param what is awaited, in messages
    public LoopSignal(EventLoop loop, Object what) {
        this.loop = loop;
        this.what = what;
    }

    /// Signals. Any thread.
    public void tell() {
        isTold = true;
        var thread = waiting;
        if (thread != null) loop.host().unpark(thread);
    }

    /// A signal after this call ends the next wait.
    public void expect() {
        isTold = false;
    }

    /// Waits for the signal, in one method: what is on the stack during the wait takes memory as long as that.
    ///
    /// @throws InterruptedException when the thread is interrupted first
    /// @throws IllegalStateException when the thread keeps its loop meanwhile
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the thread that waits alone
    public void await() throws InterruptedException {
        waits++;
        waiting = Thread.currentThread();
        try {
            while (!isTold) {
                loop.host().park(this);
                if (isTold) return;
                if (Thread.interrupted()) throw new InterruptedException();
                if (waitInVain == waits)
                    throw new IllegalStateException("a thread waited for " + what + " " + whyInVain);
            }
        } finally {
            waiting = null;
        }
    }

    @Override
    public boolean isEndedBy(EventLoop other) {
        return loop.equals(other);
    }

    @Override
    public int number() {
        return waits;
    }

    @Override
    public void giveUp(Thread thread, int number, String why) {
        whyInVain = why;
        waitInVain = number;
        loop.host().unpark(thread);
    }

    @Override
    public String toString() {
        return what.toString();
    }
}
