package io.millrace.transport;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.SocketAddresses;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// What io_uring(7) does not remember of a socket, and which operations the kernel has of it. Its number and its
/// descriptor are not used again while there is one.
final class UringSocket implements Transport.Addresses {
    // Operations: the upper half of a submission's data, above the socket's number.
    static final int WAKE = 0;
    static final int ACCEPT = 1;
    static final int RECEIVE = 2;
    static final int SEND = 3;
    static final int CONNECT = 4;
    static final int WATCH = 5;
    static final int CANCEL = 6;

    static final int NO_DESCRIPTOR = -1;

    /// Both addresses as the kernel writes them; objects are made of them for who asks.
    final byte[] peer;

    byte[] local;
    int number;
    int fd;

    /// A bit for each operation.
    private int underWay;

    boolean isListener;

    /// Of a listener: another process has it, too.
    boolean isShared;

    /// Of a listener: another process goes on with it.
    boolean isLeft;

    boolean isConnecting;
    boolean isClosed;
    boolean isQueued;

    /// Whether somebody wants what arrives; the kernel may go on receiving for a while without.
    boolean isReceiving;

    /// The receive or the accept under way is being cancelled.
    boolean isCancelling;

    /// Its receive waits for slabs.
    boolean isWaiting;

    /// It has sent more than anybody wanted, so it gets one slab at a time.
    boolean isBulk;

    boolean hasEnded;
    boolean endWasTold;
    boolean failureWasTold;

    /// What arrived while nobody wanted it.
    private @Nullable Chain held;

    /// What is being sent.
    @Nullable
    Chain pending;

    @Nullable
    Refusal failure;

    /// Of a listener: what was accepted while nobody wanted it.
    @Nullable
    ArrayDeque<Transport.Accepted> accepted;

    UringSocket(int fd, byte[] peer, byte[] local) {
        this.fd = fd;
        this.peer = peer;
        this.local = local;
    }

    @Override
    public SocketAddress remote() {
        return SocketAddresses.decode(peer);
    }

    @Override
    public SocketAddress local() {
        return SocketAddresses.decode(local);
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

    /// Notes the first failure; the one who dispatches completions tells it.
    void fail(LinuxSockets kernel, String doing, int error) {
        if (failure == null) failure = kernel.refusal(doing, peer, error);
    }

    /// It has something to tell in the next poll.
    void serveLater(ArrayDeque<UringSocket> again) {
        if (isQueued) return;
        isQueued = true;
        again.add(this);
    }

    boolean isHolding() {
        return held != null && !held.isEmpty();
    }

    void hold(Slab slab) {
        if (held == null) held = new Chain();
        held.append(slab);
    }

    /// The first slab that is held, of which there is one.
    Slab takeHeld() {
        assert held != null;
        return held.removeHead();
    }

    boolean isSending() {
        return pending != null && !pending.isEmpty();
    }

    /// Gives up what the kernel does not use any more.
    void release(SlabPool pool) {
        if (held != null) held.releaseAll(Slab.Owner.KERNEL, pool);
        if (pending != null && !isUnderWay(SEND)) pending.releaseAll(Slab.Owner.KERNEL, pool);
    }
}
