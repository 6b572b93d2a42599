package io.millrace.transport;

import static io.millrace.os.Constants.EPOLLERR;
import static io.millrace.os.Constants.EPOLLET;
import static io.millrace.os.Constants.EPOLLHUP;
import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLLOUT;
import static io.millrace.os.Constants.EPOLLPRI;
import static io.millrace.os.Constants.EPOLLRDHUP;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Constants.EPOLL_CTL_DEL;
import static io.millrace.os.Constants.IOV_MAX;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.EpollEvents;
import io.millrace.os.Errno;
import io.millrace.os.Linux;
import io.millrace.os.Msghdr;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Linux's epoll(7), edge-triggered: each socket is registered once, and never again.
///
/// An edge says that something *became* possible, so the transport remembers what still is: a socket that may
/// have more to read, because a receive filled its slab or receiving was off, waits in `due` and is served in
/// the next poll. Pausing and resuming cost no system call, a socket that is not read cannot make the loop
/// spin, and `epoll_wait` need not check again every socket it has just reported.
public final class Epoll extends LinuxTransport<EpollSocket> {
    private static final int EVENTS = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    private static final int WAKE_UP = 0;

    /// How many receives of a whole slab one socket gets in a row before the others have their turn.
    private static final int RECEIVES_PER_EVENT = 4;

    /// How many waits may fail in a row before it gives up.
    private static final int PATIENCE = 1000;

    private final EpollEvents events = new EpollEvents(Portions.EVENTS);
    private final Msghdr message = new Msghdr(IOV_MAX);
    private final int epoll;
    private int failedWaits;

    /// @throws IOException when the kernel refuses, with the reason
    public Epoll(SlabPool pool) throws IOException {
        this(pool, new Linux());
    }

    /// @param linux makes the system calls; belongs to the thread that uses the transport
    public Epoll(SlabPool pool, Linux linux) throws IOException {
        super(pool, linux);
        int created = linux.epollCreate1();
        epoll = created;
        try {
            LinuxSockets.checked(created, "cannot create an epoll instance");
            watch(wakeUp.fd, EPOLLIN | EPOLLET, WAKE_UP);
        } catch (IOException | RuntimeException | Error e) {
            if (created >= 0) linux.close(created);
            wakeUp.close();
            throw e;
        }
    }

    private void watch(int fd, int what, int data) throws IOException {
        LinuxSockets.checked(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, what, data), "cannot watch a descriptor");
    }

    /// Why this transport does not work here, in a sentence; empty when it does.
    public static Optional<String> unavailableBecause() {
        var reason = Linux.unsupportedReason();
        if (reason.isPresent()) return reason;
        try {
            new Epoll(new SlabPool(8 << 20, true)).close();
            return Optional.empty();
        } catch (IOException | RuntimeException | Error e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String name() {
        return "epoll";
    }

    @Override
    public boolean poll(long timeoutNanos, Completions to) {
        int count = linux.epollWait(epoll, events, due.isEmpty() ? millis(timeoutNanos) : 0);
        if (count < 0) failedWait(-count);
        else failedWaits = 0;
        to.awake();
        boolean delivered = serveDue(to);
        for (int i = 0; i < count; i++) {
            long data = events.data(i);
            if (data == WAKE_UP) continue;
            var socket = sockets.get((int) data);
            if (socket == null) continue;
            delivered = true;
            happened(socket, events.events(i), to);
        }
        return delivered;
    }

    /// Whatever the kernel lacks: the next wait may succeed.
    private void failedWait(int error) {
        if (++failedWaits < PATIENCE) return;
        throw new IllegalStateException("epoll_wait keeps failing: " + Errno.message(error));
    }

    private static int millis(long nanos) {
        if (nanos == Long.MAX_VALUE) return -1;
        // Rounded up: a loop that wakes up before its timer would only wait again.
        return (int) Math.min((nanos + 999_999) / 1_000_000, Integer.MAX_VALUE);
    }

    /// Serves the sockets that had something left when the poll began.
    private boolean serveDue(Completions to) {
        int count = due.size();
        for (int i = 0; i < count; i++) {
            var socket = due.next();
            if (socket.isOpen() || socket.failure != null) happened(socket, 0, to);
        }
        return count > 0;
    }

    private void happened(EpollSocket socket, int what, Completions to) {
        if ((what & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) socket.isReadable = true;
        if ((what & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) socket.hasHungUp = true;
        if ((what & EPOLLPRI) != 0) socket.hasBreaks = true;
        if (socket.failure != null) {
            // What arrived before comes first.
            if (socket.isReceiving && socket.isReadable && !socket.isConnecting) receive(socket, to);
            if (socket.failure == null) return;
            socket.isReceiving = false;
            to.failed(socket.number, socket.failure.kind(), socket.failure.detail());
        } else if (socket.listener != null) {
            if (socket.listener.isLeft) socket.listener.tellEnd(socket.number, to);
            else if (socket.isReceiving && socket.isReadable) accept(socket, to);
        } else if (socket.isConnecting) {
            finishConnect(socket, what, to);
        } else {
            transfer(socket, what, to);
        }
    }

    private void transfer(EpollSocket socket, int what, Completions to) {
        if (socket.isReceiving && socket.isReadable) receive(socket, to);
        else if ((what & EPOLLERR) != 0) reportError(socket, to);
        if ((what & EPOLLOUT) != 0 && socket.isOpen() && socket.pending != null)
            sendPending(socket, socket.pending, to);
    }

    private void receive(EpollSocket socket, Completions to) {
        for (int i = 0; i < RECEIVES_PER_EVENT; i++) {
            var slab = pool.takeForReceive();
            if (slab == null) {
                socket.isReceiving = false;
                to.starved(socket.number);
                return;
            }
            int count = linux.recv(socket.fd, slab.writeAddress(), slab.capacity());
            if (count <= 0) {
                pool.give(slab, Slab.Owner.KERNEL);
                receivedNothing(socket, count, to);
                return;
            }
            // A short receive took everything there was, and later bytes cause a new edge; except the end that
            // the last edge reported, and what comes after a break.
            if (count < slab.capacity() && !socket.hasHungUp && !socket.hasBreaks) socket.isReadable = false;
            slab.end = count;
            to.received(socket.number, slab);
            if (!socket.isReceiving || !socket.isReadable || !socket.isOpen()) return;
        }
        due.add(socket);
    }

    private void receivedNothing(EpollSocket socket, int result, Completions to) {
        socket.isReadable = false;
        socket.hasBreaks = socket.isUnix();
        if (result == 0) {
            socket.isReceiving = false;
            to.ended(socket.number);
        } else if (result != -Errno.EAGAIN) {
            tellFailure(socket, "receiving from", -result, to);
        }
    }

    private void reportError(EpollSocket socket, Completions to) {
        long error = linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error > 0) tellFailure(socket, "connection to", (int) error, to);
    }

    @Override
    public boolean send(int number, Chain bytes) {
        bytes.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        var socket = sockets.get(number);
        if (socket == null) {
            bytes.releaseAll(Slab.Owner.KERNEL, pool);
            return true;
        }
        if (socket.isSending()) throw new IllegalStateException("two sends at a time");
        long before = bytes.size();
        int error = sendUntilFull(socket, bytes);
        if (bytes.isEmpty()) return true;
        socket.unreported = before - bytes.size();
        if (socket.pending == null) socket.pending = new Chain();
        socket.pending.appendAll(bytes);
        if (error != Errno.EAGAIN) {
            // Reported in the next poll: the caller is not ready for it now.
            socket.fail(kernel, "sending to", error);
            due.add(socket);
        }
        return false;
    }

    private void sendPending(EpollSocket socket, Chain pending, Completions to) {
        if (pending.isEmpty()) return;
        long before = pending.size();
        int error = sendUntilFull(socket, pending);
        long count = before - pending.size() + socket.unreported;
        socket.unreported = 0;
        if (error != 0 && error != Errno.EAGAIN) {
            tellFailure(socket, "sending to", error, to);
        } else if (count > 0) {
            to.sent(socket.number, count, pending.isEmpty());
        }
    }

    /// Sends until the chain is empty or the kernel takes no more; an edge then reports that it does again.
    ///
    /// @return 0 or the error
    private int sendUntilFull(EpollSocket socket, Chain bytes) {
        while (!bytes.isEmpty()) {
            var slab = bytes.head();
            assert slab != null;
            int count = bytes.count() == 1
                    ? linux.send(socket.fd, slab.readAddress(), slab.readable())
                    : gather(socket, bytes);
            if (count < 0) return -count;
            if (count == bytes.size()) bytes.releaseAll(Slab.Owner.KERNEL, pool);
            else bytes.drop(count, Slab.Owner.KERNEL, pool);
        }
        return 0;
    }

    private int gather(EpollSocket socket, Chain bytes) {
        message.clear();
        for (var slab = bytes.head(); slab != null && !message.isFull(); slab = slab.next()) {
            message.add(slab.readAddress(), slab.readable());
        }
        return linux.sendmsg(socket.fd, message);
    }

    @Override
    public void receive(int number, boolean on) {
        var socket = sockets.get(number);
        if (socket == null) return;
        socket.isReceiving = on;
        if (on && socket.isReadable) due.add(socket);
    }

    private void accept(EpollSocket listener, Completions to) {
        for (int i = 0; i < Portions.ACCEPTS; i++) {
            int fd = linux.accept4(listener.fd, address);
            if (fd < 0) {
                acceptedNothing(listener, -fd, to);
                return;
            }
            to.accepted(listener.number, accepted(fd, address.copy(), listener));
            if (!listener.isReceiving || !listener.isOpen()) return;
        }
        due.add(listener);
    }

    private void acceptedNothing(EpollSocket listener, int error, Completions to) {
        if (error == Errno.EAGAIN) listener.isReadable = false;
        else if (!acceptFailed(listener, error, to)) due.add(listener);
    }

    @Override
    EpollSocket socket(int fd, byte[] peer, byte[] local) {
        return new EpollSocket(fd, peer, local);
    }

    @Override
    void begin(EpollSocket socket) throws IOException {
        if (socket.isOpen()) watch(socket.fd, EVENTS, socket.number);
    }

    /// The first edge reports it.
    @Override
    void awaitConnected(EpollSocket socket) {}

    private void finishConnect(EpollSocket socket, int what, Completions to) {
        long error = linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error != 0) {
            tellFailure(socket, "connecting to", (int) Math.abs(error), to);
            return;
        }
        socket.isConnecting = false;
        socket.local = kernel.connected(socket.fd, socket.peer);
        to.connected(socket.number);
        if (socket.isOpen()) transfer(socket, what, to);
    }

    private void tellFailure(EpollSocket socket, String doing, int error, Completions to) {
        to.failed(socket.number, LinuxSockets.kind(error), kernel.sentence(doing, socket.peer, error));
    }

    @Override
    @Nullable
    EpollSocket open(int number) {
        return sockets.get(number);
    }

    @Override
    void close(EpollSocket socket) {
        sockets.remove(socket.number);
        var listener = socket.listener;
        if (listener != null) listener.release();
        // While another process shares the socket, closing the descriptor would not end the registration.
        if (listener != null && listener.isShared) linux.epollCtl(epoll, EPOLL_CTL_DEL, socket.fd, 0, 0);
        closeDescriptor(socket);
        socket.failure = null;
        // The kernel has copies of what it took.
        if (socket.pending != null) socket.pending.releaseAll(Slab.Owner.KERNEL, pool);
    }

    @Override
    public void close() {
        sockets.forEach(this::close);
        linux.close(epoll);
        wakeUp.close();
    }
}
