package io.millrace.loop;

import io.millrace.bytes.Overflow;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// Messages that other threads have passed to one loop's groups, and that the loop has not handled yet:
/// `group.pending`.
///
/// A thread that may wait does so from half of the limit on, so that the threads that must not, which loops need,
/// find room as long as the loop keeps up. The limit is checked before something is added, so each thread may
/// exceed it by what it adds.
public final class Backlog {
    /// The heap that a waiting step takes besides its message.
    public static final int STEP_BYTES = Outbox.FRAME_BYTES;

    /// How many bytes may wait for one loop's groups by default.
    public static final long DEFAULT_LIMIT_BYTES = 16 << 20;

    private final EventLoop loop;
    private final AtomicLong pendingBytes = new AtomicLong();
    private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>();

    /// Set before other threads know the loop.
    private long limitBytes = DEFAULT_LIMIT_BYTES;

    Backlog(EventLoop loop) {
        this.loop = loop;
    }

    public void limit(long bytes) {
        limitBytes = bytes;
    }

    // Any thread.

    public boolean isFull() {
        return pendingBytes.get() > limitBytes;
    }

    /// A message is dropped, because the backlog is full.
    public void missed(int members) {
        CoreGuards.GROUP_PENDING.acted(loop.name(), members + " members missed a message: " + state());
    }

    /// For a thread that must not wait.
    ///
    /// @throws Overflow when the backlog is full
    public void requireRoom() {
        if (!isFull()) return;
        var detail = state() + ": broadcast from a thread that may wait (a platform thread, conn.loop().blocking), "
                + "which is neither an event loop nor carried by one, broadcast less often, take Group.lossy, or "
                + "raise EventLoops.Setup.groupPending";
        CoreGuards.GROUP_PENDING.acted(loop.name(), detail);
        throw new Overflow(detail);
    }

    /// For a thread that may wait: waits until half of the backlog is free.
    ///
    /// @return false when the thread is interrupted first, and still is
    public boolean awaitRoom() {
        if (hasRoom()) return true;
        CoreGuards.GROUP_PENDING.acted(loop.name(), "a broadcasting thread waits: " + state());
        var me = Thread.currentThread();
        try {
            while (!hasRoom() && !loop.isClosed()) {
                if (me.isInterrupted()) return false;
                if (!waiting.contains(me)) waiting.add(me);
                if (!hasRoom()) loop.host().park(this);
            }
            return true;
        } finally {
            waiting.remove(me);
        }
    }

    private boolean hasRoom() {
        return pendingBytes.get() <= limitBytes / 2;
    }

    private String state() {
        return pendingBytes.get() + " bytes wait for " + loop.name() + ", the limit is " + limitBytes
                + " (group.pending)";
    }

    public void add(long bytes) {
        pendingBytes.addAndGet(bytes);
    }

    /// The loop has handled so many bytes, or never will.
    public void done(long bytes) {
        pendingBytes.addAndGet(-bytes);
        // A waiting thread has registered before it checked for room.
        if (waiting.isEmpty() || !hasRoom()) return;
        for (var next = waiting.poll(); next != null; next = waiting.poll())
            loop.host().unpark(next);
    }
}
