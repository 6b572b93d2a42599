package io.millrace.transport;

import static io.millrace.transport.UringSocket.SEND;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import io.millrace.os.Msghdr;

/// Sending through io_uring: a socket has one send at a time, and what the kernel did not take is sent again.
final class UringSends {
    /// One send takes no more than this, so that slabs are returned while a large chain is being sent.
    private static final int BLOCKS = 64;

    private static final long BYTES = 256 << 10;
    private static final int MESSAGES = 64;

    private final IoUring ring;
    private final SlabPool pool;
    private final LinuxSockets kernel;

    /// The messages of submissions that the kernel has not seen.
    private final Msghdr[] messages = new Msghdr[MESSAGES];

    private int messagesInUse;

    /// Empty chains, which sockets without a send need not keep.
    private final Chain[] spares = new Chain[MESSAGES];

    private int spareCount;

    UringSends(IoUring ring, SlabPool pool, LinuxSockets kernel) {
        this.ring = ring;
        this.pool = pool;
        this.kernel = kernel;
        for (int i = 0; i < MESSAGES; i++) messages[i] = new Msghdr(BLOCKS);
    }

    /// Sends a non-empty chain.
    void begin(UringSocket socket, Chain bytes) {
        if (socket.isSending()) throw new IllegalStateException("two sends at a time");
        var pending = spareCount > 0 ? spares[--spareCount] : new Chain();
        socket.pending = pending;
        pending.appendAll(bytes);
        if (socket.failure == null) submit(socket, pending);
    }

    private void submit(UringSocket socket, Chain pending) {
        var head = pending.head();
        assert head != null;
        if (pending.count() == 1) ring.send(socket.fd, head.readAddress(), head.readable(), socket.data(SEND));
        else ring.sendmsg(socket.fd, gather(pending), socket.data(SEND));
        socket.began(SEND);
    }

    private Msghdr gather(Chain pending) {
        if (messagesInUse == MESSAGES) {
            ring.submitAll();
            submitted();
        }
        var message = messages[messagesInUse++];
        message.clear();
        for (var slab = pending.head(); slab != null && !message.isFull(); slab = slab.next()) {
            message.add(slab.readAddress(), slab.readable());
            if (message.lengthBytes() >= BYTES) break;
        }
        return message;
    }

    /// The kernel has seen submissions, all of them unless it is short of memory.
    void submitted() {
        if (ring.unsubmitted() == 0) messagesInUse = 0;
    }

    /// The completion of a send.
    ///
    /// @return whether something was delivered
    boolean completed(UringSocket socket, int result, Completions to) {
        socket.over(SEND);
        var pending = socket.pending;
        assert pending != null;
        if (socket.failureWasTold) {
            pending.drop(Math.max(result, 0), Slab.Owner.KERNEL, pool);
            return false;
        }
        if (result < 0) {
            if (result == -Errno.EINTR || result == -Errno.EAGAIN) submit(socket, pending);
            else fail(socket, -result);
            return false;
        }
        if (result == pending.size()) pending.releaseAll(Slab.Owner.KERNEL, pool);
        else pending.drop(result, Slab.Owner.KERNEL, pool);
        boolean isDone = pending.isEmpty();
        if (isDone) give(socket, pending);
        else if (socket.failure == null) submit(socket, pending);
        to.sent(socket.number, result, isDone);
        return true;
    }

    private void give(UringSocket socket, Chain empty) {
        socket.pending = null;
        if (spareCount < spares.length) spares[spareCount++] = empty;
    }

    /// The completion of a send of a closed socket.
    void completedTooLate(UringSocket socket) {
        socket.over(SEND);
        socket.release(pool);
    }

    private void fail(UringSocket socket, int error) {
        if (socket.failure != null) return;
        socket.fail(kernel, "sending to", error);
        // What had arrived before is delivered first: receiving ends after it.
        if (socket.isReceiving || socket.isUnderWay(UringSocket.RECEIVE)) kernel.endInput(socket.fd);
    }
}
