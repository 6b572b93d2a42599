package io.millrace.transport;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import org.jspecify.annotations.Nullable;

/// The state of a socket that io_uring(7) does not keep, and its operations in the kernel. Its number and its
/// descriptor are not reused while there is one.
final class UringSocket extends LinuxSocket {
    // Operations: the upper half of a submission's data, above the socket's number.
    static final int WAKE = 0;
    static final int ACCEPT = 1;
    static final int RECEIVE = 2;
    static final int SEND = 3;
    static final int CONNECT = 4;
    static final int WATCH = 5;
    static final int CANCEL = 6;

    /// A bit for each operation.
    private int underWay;

    boolean isClosed;

    /// The current receive or accept is being cancelled.
    boolean isCancelling;

    /// Its receive waits for slabs.
    boolean isWaiting;

    /// The peer has sent while receiving was off, so it gets one slab at a time.
    boolean isBulk;

    boolean hasEnded;
    boolean endWasTold;
    boolean failureWasTold;

    /// What arrived while receiving was off.
    private @Nullable Chain held;

    /// What is being sent.
    @Nullable
    Chain pending;

    UringSocket(int fd, byte[] peer, byte[] local) {
        super(fd, peer, local);
    }

    long data(int operation) {
        return ((long) operation << 32) | number;
    }

    boolean isUnderWay(int operation) {
        return (underWay & (1 << operation)) != 0;
    }

    boolean isIdle() {
        return underWay == 0;
    }

    void began(int operation) {
        if (isUnderWay(operation)) throw new IllegalStateException("operation " + operation + " is under way");
        underWay |= 1 << operation;
    }

    void over(int operation) {
        if (!isUnderWay(operation)) throw new IllegalStateException("operation " + operation + " is not under way");
        underWay &= ~(1 << operation);
    }

    boolean isHolding() {
        return held != null && !held.isEmpty();
    }

    void hold(Slab slab) {
        if (held == null) held = new Chain();
        held.append(slab);
    }

    /// The first slab that is held; there must be one.
    Slab takeHeld() {
        assert held != null;
        return held.removeHead();
    }

    boolean isSending() {
        return pending != null && !pending.isEmpty();
    }

    /// Releases what the kernel no longer uses.
    void release(SlabPool pool) {
        if (held != null) held.releaseAll(Slab.Owner.KERNEL, pool);
        if (pending != null && !isUnderWay(SEND)) pending.releaseAll(Slab.Owner.KERNEL, pool);
    }
}
