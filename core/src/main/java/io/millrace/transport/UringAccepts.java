package io.millrace.transport;

import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.transport.UringSocket.ACCEPT;
import static io.millrace.transport.UringSocket.CANCEL;

import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import io.millrace.os.SocketAddresses;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;

/// Accepting through io_uring: one submission accepts again and again. What it accepted when nobody wants it any
/// more waits here, as it would in the kernel's backlog.
final class UringAccepts {
    private final IoUring ring;
    private final Linux linux;
    private final LinuxSockets kernel;
    private final SockAddr address;
    private final ArrayDeque<UringSocket> again;

    /// The files of listeners on Unix sockets.
    private final IdentityHashMap<UringSocket, UnixPath> paths = new IdentityHashMap<>();

    UringAccepts(IoUring ring, Linux linux, LinuxSockets kernel, SockAddr address, ArrayDeque<UringSocket> again) {
        this.ring = ring;
        this.linux = linux;
        this.kernel = kernel;
        this.address = address;
        this.again = again;
    }

    /// The listener of a descriptor that listens.
    UringSocket listener(int fd, SocketAddress at) throws IOException {
        try {
            byte[] bound = kernel.bound(fd);
            var listener = new UringSocket(fd, SocketAddresses.nobody(bound), bound);
            listener.isListener = true;
            var path = UnixPath.boundTo(at);
            if (path != null) paths.put(listener, path);
            return listener;
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    /// Gives up what a listener has besides its descriptor.
    void release(UringSocket listener) {
        var path = paths.remove(listener);
        if (path != null && !listener.isShared) path.unlink();
        while (listener.accepted != null && !listener.accepted.isEmpty()) {
            listener.accepted.remove().discard();
        }
    }

    /// What [Transport#receive] asks for.
    void turn(UringSocket listener, boolean on) {
        listener.isReceiving = on;
        // At once: what it accepts that nobody wants has a descriptor.
        if (!on) cancel(listener);
        else if (isHolding(listener)) listener.serveLater(again);
        else arm(listener);
    }

    /// What [Transport#leave] asks for: [#deliverHeld] tells the end, when the accept has come to its own.
    void leave(UringSocket listener) {
        listener.isLeft = true;
        listener.isReceiving = false;
        cancel(listener);
        listener.serveLater(again);
    }

    private void arm(UringSocket listener) {
        if (!listener.isReceiving || listener.isUnderWay(ACCEPT)) return;
        ring.acceptMany(listener.fd, listener.data(ACCEPT));
        listener.began(ACCEPT);
    }

    private void cancel(UringSocket listener) {
        if (listener.isCancelling || !listener.isUnderWay(ACCEPT)) return;
        listener.isCancelling = true;
        ring.cancel(listener.data(ACCEPT), listener.data(CANCEL));
    }

    private static boolean isHolding(UringSocket listener) {
        return listener.accepted != null && !listener.accepted.isEmpty();
    }

    /// What the kernel has to tell of an accept.
    ///
    /// @return whether something was delivered
    boolean completed(UringSocket listener, int result, int flags, Completions to) {
        if ((flags & IORING_CQE_F_MORE) == 0) over(listener);
        boolean delivered = result >= 0 ? accepted(listener, result, to) : failed(listener, -result, to);
        if (listener.isLeft) listener.serveLater(again);
        else if (!listener.isClosed && !isHolding(listener)) arm(listener);
        return delivered;
    }

    /// The same of a listener that is closed.
    void completedTooLate(UringSocket listener, int result, int flags) {
        if ((flags & IORING_CQE_F_MORE) == 0) over(listener);
        if (result >= 0) linux.close(result);
    }

    private static void over(UringSocket listener) {
        listener.over(ACCEPT);
        listener.isCancelling = false;
    }

    private boolean accepted(UringSocket listener, int fd, Completions to) {
        var accepted = new AcceptedDescriptor(linux, fd, peerOf(fd, listener), kernel.local(fd, listener.local));
        if ((listener.isReceiving || listener.isLeft) && !isHolding(listener)) {
            to.accepted(listener.number, accepted);
            return true;
        }
        if (listener.accepted == null) listener.accepted = new ArrayDeque<>();
        listener.accepted.add(accepted);
        if (!listener.isReceiving) cancel(listener);
        return false;
    }

    /// One submission has one place for the addresses of all it accepts, so they are asked for. A peer that has
    /// gone again has none any more: then it is the family's wildcard.
    private byte[] peerOf(int fd, UringSocket listener) {
        return linux.getpeername(fd, address) == 0 ? address.copy() : listener.peer;
    }

    private static boolean failed(UringSocket listener, int error, Completions to) {
        var kind = switch (error) {
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS, Errno.ENOMEM -> Failure.NO_RESOURCES;
            case Errno.EBADF, Errno.EINVAL -> Failure.OTHER;
            // accept(2): an error of the new connection, which is gone; the next one may be fine.
            default -> null;
        };
        if (kind == null) return false;
        listener.isReceiving = false;
        to.failed(listener.number, kind, Errno.message(error));
        return true;
    }

    /// Delivers what was accepted while nobody wanted it, and goes on accepting.
    boolean deliverHeld(UringSocket listener, Completions to) {
        boolean delivered = false;
        while ((listener.isReceiving || listener.isLeft) && listener.accepted != null && !listener.accepted.isEmpty()) {
            to.accepted(listener.number, listener.accepted.remove());
            delivered = true;
        }
        if (listener.isLeft && !listener.isUnderWay(ACCEPT)) to.ended(listener.number);
        else if (!listener.isClosed) arm(listener);
        return delivered;
    }
}
