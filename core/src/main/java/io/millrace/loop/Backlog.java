package io.millrace.loop;

import io.millrace.bytes.Overflow;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// What other threads have handed to the groups of one loop, and the loop has not dealt with yet: `group.pending`.
///
/// Who may wait does so from half of the limit on, so that those who may not, the threads that loops need, find room
/// as long as the loop keeps up. The limit is looked at before something is added: each thread may be over it by what
/// it adds.
public final class Backlog {
    /// What a step that waits takes of the heap besides its message.
    public static final int STEP_BYTES = Outbox.FRAME_BYTES;

    /// What one loop's groups may have waiting, unless it is said otherwise.
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

    /// A message is left out, because the backlog is full.
    public void missed(int members) {
        CoreGuards.GROUP_PENDING.acted(loop.name(), members + " members miss a message: " + state());
    }

    /// For a thread that must not wait.
    ///
    /// @throws Overflow when the backlog is full
    public void requireRoom() {
        if (!isFull()) return;
        var detail = state() + ": broadcast from a thread that may wait, which is no event loop and carried by none"
                + " (a platform thread, conn.loop().blocking), or less often, or take Group.lossy, or raise"
                + " EventLoops.Setup.groupPending";
        CoreGuards.GROUP_PENDING.acted(loop.name(), detail);
        throw new Overflow(detail);
    }

    /// For a thread that may wait: until half of it is free.
    ///
    /// @return false when it was interrupted before, and is still
    public boolean awaitRoom() {
        if (hasRoom()) return true;
        CoreGuards.GROUP_PENDING.acted(loop.name(), "whoever broadcasts waits: " + state());
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

    /// The loop has dealt with it, or never will.
    public void done(long bytes) {
        pendingBytes.addAndGet(-bytes);
        // Who waits has said so before it looked.
        if (waiting.isEmpty() || !hasRoom()) return;
        for (var next = waiting.poll(); next != null; next = waiting.poll())
            loop.host().unpark(next);
    }
}
