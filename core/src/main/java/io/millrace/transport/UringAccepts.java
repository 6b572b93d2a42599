package io.millrace.transport;

import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.transport.UringSocket.ACCEPT;
import static io.millrace.transport.UringSocket.CANCEL;

import io.millrace.os.IoUring;

/// Accepting through io_uring: one submission accepts repeatedly. Connections accepted after accepting was
/// turned off wait here, as they would in the kernel's backlog.
final class UringAccepts {
    private final Uring transport;
    private final IoUring ring;

    UringAccepts(Uring transport, IoUring ring) {
        this.transport = transport;
        this.ring = ring;
    }

    /// Implements [Transport#receive].
    void turn(UringSocket socket, boolean on) {
        socket.isReceiving = on;
        // At once: every unwanted connection that it accepts takes a descriptor.
        if (!on) cancel(socket);
        else if (!socket.listener().held.isEmpty()) transport.due.add(socket);
        else arm(socket);
    }

    private void arm(UringSocket socket) {
        if (!socket.isReceiving || socket.isUnderWay(ACCEPT)) return;
        ring.acceptMany(socket.fd, socket.data(ACCEPT));
        socket.began(ACCEPT);
    }

    private void cancel(UringSocket socket) {
        if (socket.isCancelling || !socket.isUnderWay(ACCEPT)) return;
        socket.isCancelling = true;
        ring.cancel(socket.data(ACCEPT), socket.data(CANCEL));
    }

    /// The completion of an accept.
    ///
    /// @return whether something was delivered
    boolean completed(UringSocket socket, int result, int flags, Completions to) {
        if ((flags & IORING_CQE_F_MORE) == 0) over(socket);
        boolean delivered =
                result >= 0 ? accepted(socket, result, to) : LinuxTransport.acceptFailed(socket, -result, to);
        var listener = socket.listener();
        if (listener.isLeft) transport.due.add(socket);
        else if (!socket.isClosed && listener.held.isEmpty()) arm(socket);
        return delivered;
    }

    /// The completion of an accept of a closed listener.
    void completedTooLate(UringSocket socket, int result, int flags) {
        if ((flags & IORING_CQE_F_MORE) == 0) over(socket);
        if (result >= 0) transport.linux.close(result);
    }

    private static void over(UringSocket socket) {
        socket.over(ACCEPT);
        socket.isCancelling = false;
    }

    private boolean accepted(UringSocket socket, int fd, Completions to) {
        var listener = socket.listener();
        var accepted = transport.accepted(fd, peerOf(fd, socket), socket);
        if ((socket.isReceiving || listener.isLeft) && listener.held.isEmpty()) {
            to.accepted(socket.number, accepted);
            return true;
        }
        listener.held.add(accepted);
        if (!socket.isReceiving) cancel(socket);
        return false;
    }

    /// One submission has room for one address, so each connection's is asked for. A peer that has gone has
    /// none: then it is the family's wildcard.
    private byte[] peerOf(int fd, UringSocket listener) {
        var address = transport.address;
        return transport.linux.getpeername(fd, address) == 0 ? address.copy() : listener.peer;
    }

    /// Delivers what was accepted while accepting was off, and goes on accepting. For a listener that was left,
    /// reports the end once the accept has ended.
    boolean deliverHeld(UringSocket socket, Completions to) {
        var listener = socket.listener();
        boolean delivered = false;
        while ((socket.isReceiving || listener.isLeft) && !listener.held.isEmpty()) {
            to.accepted(socket.number, listener.held.remove());
            delivered = true;
        }
        if (listener.isLeft && !socket.isUnderWay(ACCEPT)) listener.tellEnd(socket.number, to);
        else if (!socket.isClosed) arm(socket);
        return delivered;
    }
}
