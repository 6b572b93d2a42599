package io.millrace.transport;

import static io.millrace.os.Constants.IORING_CQE_BUFFER_SHIFT;
import static io.millrace.os.Constants.IORING_CQE_F_BUFFER;
import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.transport.UringSocket.CANCEL;
import static io.millrace.transport.UringSocket.RECEIVE;
import static io.millrace.transport.UringSocket.WATCH;

import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import java.util.ArrayDeque;

/// Receiving through io_uring: one submission receives repeatedly, into slabs lent to the kernel.
///
/// ```
///            arm                      slab               nobody wants it: held, and the receive is cancelled
///   idle ───────────► under way ───────────────► wanted: delivered
///    ▲ ▲                 │  │
///    │ └── cancelled ────┘  └─ no slab left ─► waiting ─ slabs are back ─► idle, and armed again
///    └──── the end, an error                        └─ the pool is empty ─► starved: the loop tells when
/// ```
/// Turning it off cancels nothing, because it is usually turned on again before anything arrives. A peer that
/// sent while it was off gets one slab at a time from then on, so that a pause costs one slab and no more.
final class UringReceives {
    private final IoUring ring;
    private final SlabPool pool;
    private final LentSlabs lent;
    private final LinuxSockets kernel;
    private final DueSockets<UringSocket> due;

    /// Sockets for which no slab was left.
    private final ArrayDeque<UringSocket> waiting = new ArrayDeque<>();

    private int underWay;
    private boolean areStarved;

    UringReceives(IoUring ring, SlabPool pool, LentSlabs lent, LinuxSockets kernel, DueSockets<UringSocket> due) {
        this.ring = ring;
        this.pool = pool;
        this.lent = lent;
        this.kernel = kernel;
        this.due = due;
    }

    /// Implements [Transport#receive].
    void turn(UringSocket socket, boolean on) {
        socket.isReceiving = on && !socket.endWasTold && !socket.failureWasTold;
        // Unwanted bytes should not take memory that other sockets need.
        if (!on && (socket.isHolding() || !pool.mayAccept())) cancel(socket);
        if (!on && !socket.isConnecting && !socket.isUnderWay(RECEIVE)) watch(socket);
        if (!socket.isReceiving || socket.isConnecting) return;
        if (socket.isHolding() || socket.hasEnded) due.add(socket);
        else arm(socket);
    }

    void arm(UringSocket socket) {
        boolean isBusy = socket.isUnderWay(RECEIVE) || socket.isWaiting || socket.isHolding();
        if (!socket.isReceiving || isBusy || socket.hasEnded || socket.failureWasTold) return;
        if (socket.isBulk) ring.receiveOnce(socket.fd, lent.group(), socket.data(RECEIVE));
        else ring.receiveMany(socket.fd, lent.group(), socket.data(RECEIVE));
        socket.began(RECEIVE);
        underWay++;
    }

    private void cancel(UringSocket socket) {
        if (socket.isCancelling || !socket.isUnderWay(RECEIVE)) return;
        socket.isCancelling = true;
        ring.cancel(socket.data(RECEIVE), socket.data(CANCEL));
    }

    /// Before a wait: lends slabs, and arms waiting sockets, no more than there are slabs.
    ///
    /// @return whether some still wait, so that the loop must not wait for the kernel
    boolean prepare() {
        if (underWay == 0 && waiting.isEmpty()) return false;
        lent.fill();
        for (int left = Math.min(waiting.size(), lent.count()); left > 0; left--) {
            arm(nextWaiting());
        }
        areStarved = lent.count() == 0 && !waiting.isEmpty();
        return !waiting.isEmpty();
    }

    /// Reports starvation to waiting sockets while the pool is empty; then the loop turns them on when there is
    /// memory.
    boolean tellStarved(Completions to) {
        if (!areStarved) return false;
        areStarved = false;
        boolean delivered = false;
        for (int left = waiting.size(); left > 0; left--) {
            var socket = nextWaiting();
            if (!socket.isReceiving) continue;
            socket.isReceiving = false;
            delivered = true;
            watch(socket);
            to.starved(socket.number);
        }
        return delivered;
    }

    /// Ends the wait of a socket; a failure that came meanwhile has waited with it.
    private UringSocket nextWaiting() {
        var socket = waiting.remove();
        socket.isWaiting = false;
        if (socket.failure != null && !socket.isClosed) due.add(socket);
        return socket;
    }

    /// No socket receives: the slabs are returned.
    void takeBackUnused() {
        if (underWay == 0 && lent.count() > 0) lent.takeBack();
    }

    /// The completion of a receive.
    ///
    /// @return whether something was delivered
    boolean completed(UringSocket socket, int result, int flags, Completions to) {
        boolean isOver = (flags & IORING_CQE_F_MORE) == 0;
        if (isOver) over(socket);
        boolean delivered = (flags & IORING_CQE_F_BUFFER) != 0
                && arrived(socket, lent.take(flags >>> IORING_CQE_BUFFER_SHIFT), result, to);
        if (isOver && !socket.isClosed) delivered |= ended(socket, result, to);
        return delivered;
    }

    /// The completion of a receive of a closed socket.
    void completedTooLate(UringSocket socket, int flags) {
        if ((flags & IORING_CQE_F_MORE) == 0) over(socket);
        if ((flags & IORING_CQE_F_BUFFER) == 0) return;
        pool.give(lent.take(flags >>> IORING_CQE_BUFFER_SHIFT), Slab.Owner.KERNEL);
    }

    private void over(UringSocket socket) {
        socket.over(RECEIVE);
        socket.isCancelling = false;
        underWay--;
    }

    private boolean arrived(UringSocket socket, Slab slab, int length, Completions to) {
        if (length <= 0) {
            pool.give(slab, Slab.Owner.KERNEL);
            return false;
        }
        slab.end = length;
        if (socket.isReceiving && !socket.isHolding()) {
            to.received(socket.number, slab);
            return true;
        }
        socket.hold(pool.shrunk(slab));
        socket.isBulk = true;
        if (socket.isReceiving) due.add(socket);
        else cancel(socket);
        return false;
    }

    /// A receive is over: with bytes, with the end, or with an error.
    private boolean ended(UringSocket socket, int result, Completions to) {
        boolean delivered = false;
        if (result > 0) {
            arm(socket);
        } else {
            switch (-result) {
                case 0 -> {
                    socket.hasEnded = true;
                    delivered = deliverHeld(socket, to);
                }
                case Errno.ENOBUFS -> await(socket);
                case Errno.ECANCELED, Errno.EINTR, Errno.EAGAIN -> arm(socket);
                default -> socket.fail(kernel, "receiving from", -result);
            }
        }
        if (!socket.isReceiving && !socket.isClosed) watch(socket);
        return delivered;
    }

    private void await(UringSocket socket) {
        lent.wantMore(underWay + waiting.size() + 1);
        if (!socket.isReceiving || socket.isWaiting || socket.failureWasTold) return;
        socket.isWaiting = true;
        waiting.add(socket);
    }

    /// Delivers what arrived while receiving was off, and then the end, or goes on receiving.
    boolean deliverHeld(UringSocket socket, Completions to) {
        boolean delivered = false;
        while (socket.isReceiving && socket.isHolding()) {
            to.received(socket.number, socket.takeHeld());
            delivered = true;
        }
        if (!socket.isReceiving || socket.isClosed) return delivered;
        if (!socket.hasEnded) {
            arm(socket);
            return delivered;
        }
        if (socket.failure != null) return delivered;
        socket.isReceiving = false;
        socket.endWasTold = true;
        watch(socket);
        to.ended(socket.number);
        return true;
    }

    /// Watches for a reset while nothing is received: errors are always reported.
    private void watch(UringSocket socket) {
        if (socket.isUnderWay(WATCH) || socket.failure != null) return;
        ring.pollMany(socket.fd, 0, socket.data(WATCH));
        socket.began(WATCH);
    }
}
