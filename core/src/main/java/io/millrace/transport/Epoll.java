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
import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.EpollEvents;
import io.millrace.os.Errno;
import io.millrace.os.Layouts;
import io.millrace.os.Linux;
import io.millrace.os.Msghdr;
import io.millrace.os.SockAddr;
import io.millrace.os.SocketAddresses;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Linux's epoll(7), edge-triggered: each socket is registered once, and never again.
///
/// An edge says that something *became* possible, so the transport remembers what still is: a socket that may
/// have more to read, because a receive filled its slab or receiving was off, waits in `again` and is served in
/// the next poll. Pausing and resuming cost no system call, a socket that nobody reads cannot make the loop spin,
/// and `epoll_wait` need not look again at every socket it has just reported.
public final class Epoll implements Transport {
    private static final int EVENTS = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    private static final int WAKE_UP = 0;
    private static final int NO_DESCRIPTOR = -1;

    /// So few that what they bring is still in the cache when the answers leave, at the end of the turn.
    private static final int EVENTS_PER_WAIT = 32;

    /// Receives of one socket in a row, each of a whole slab, before the others get their turn.
    private static final int RECEIVES_PER_EVENT = 4;

    private static final int ACCEPTS_PER_EVENT = 64;

    /// Waits that may fail in a row before it is given up.
    private static final int PATIENCE = 1000;

    private final SlabPool pool;
    private final Linux linux = new Linux();
    private final EpollEvents events = new EpollEvents(EVENTS_PER_WAIT);
    private final Msghdr message = new Msghdr(IOV_MAX);
    private final SockAddr address = new SockAddr();
    private final LinuxSockets kernel = new LinuxSockets(linux, address);
    private final SocketTable<EpollSocket> sockets = new SocketTable<>();
    private final ArrayDeque<EpollSocket> again = new ArrayDeque<>();

    /// The files of listeners on Unix sockets.
    private final IdentityHashMap<EpollSocket, UnixPath> paths = new IdentityHashMap<>();

    private final int epoll;
    private int failedWaits;
    private final WakeUp wakeUp;

    /// @throws IOException when the kernel refuses, with the reason
    public Epoll(SlabPool pool) throws IOException {
        this.pool = pool;
        Layouts.check(linux);
        epoll = LinuxSockets.checked(linux.epollCreate1(), "cannot create an epoll instance");
        try {
            wakeUp = watchedWakeUp();
        } catch (IOException | RuntimeException | Error e) {
            linux.close(epoll);
            throw e;
        }
    }

    private WakeUp watchedWakeUp() throws IOException {
        var made = new WakeUp(linux);
        int result = linux.epollCtl(epoll, EPOLL_CTL_ADD, made.fd, EPOLLIN | EPOLLET, WAKE_UP);
        if (result >= 0) return made;
        made.close();
        throw new IOException("cannot watch an eventfd: " + Errno.message(-result));
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
        int count = linux.epollWait(epoll, events, again.isEmpty() ? millis(timeoutNanos) : 0);
        if (count < 0) failedWait(-count);
        else failedWaits = 0;
        to.awake();
        boolean delivered = serveAgain(to);
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

    /// Whatever the kernel is short of: the next wait may do.
    private void failedWait(int error) {
        if (++failedWaits < PATIENCE) return;
        throw new IllegalStateException("epoll_wait fails again and again: " + Errno.message(error));
    }

    private static int millis(long nanos) {
        if (nanos == Long.MAX_VALUE) return -1;
        // Rounded up: a loop that wakes up before its timer would only wait again.
        return (int) Math.min((nanos + 999_999) / 1_000_000, Integer.MAX_VALUE);
    }

    /// Serves the sockets that had something left when the poll began.
    private boolean serveAgain(Completions to) {
        int count = again.size();
        for (int i = 0; i < count; i++) {
            var socket = again.remove();
            socket.isQueued = false;
            if (socket.isOpen() || socket.refusal != null) happened(socket, 0, to);
        }
        return count > 0;
    }

    private void serveLater(EpollSocket socket) {
        if (socket.isQueued) return;
        socket.isQueued = true;
        again.add(socket);
    }

    private void happened(EpollSocket socket, int what, Completions to) {
        if ((what & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) socket.isReadable = true;
        if ((what & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) socket.hasHungUp = true;
        if ((what & EPOLLPRI) != 0) socket.hasBreaks = true;
        if (socket.refusal != null) {
            // What had arrived before it comes first.
            if (socket.isReceiving && socket.isReadable && !socket.isConnecting) receive(socket, to);
            if (socket.refusal == null) return;
            socket.isReceiving = false;
            to.failed(socket.number, socket.refusal.kind(), socket.refusal.detail());
        } else if (socket.isListener) {
            if (socket.isLeft) to.ended(socket.number);
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
            // A short receive took everything there was, and what comes later is an edge of its own; but not the
            // end that the last edge told of, nor what stands behind a break.
            if (count < slab.capacity() && !socket.hasHungUp && !socket.hasBreaks) socket.isReadable = false;
            slab.end = count;
            to.received(socket.number, slab);
            if (!socket.isReceiving || !socket.isReadable || !socket.isOpen()) return;
        }
        serveLater(socket);
    }

    private void receivedNothing(EpollSocket socket, int result, Completions to) {
        socket.isReadable = false;
        socket.hasBreaks = socket.isUnix();
        if (result == 0) {
            socket.isReceiving = false;
            to.ended(socket.number);
        } else if (result != -Errno.EAGAIN) {
            to.failed(
                    socket.number, LinuxSockets.kind(-result), kernel.sentence("receiving from", socket.peer, -result));
        }
    }

    private void reportError(EpollSocket socket, Completions to) {
        long error = linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error <= 0) return;
        to.failed(socket.number, LinuxSockets.kind((int) error), kernel.sentence("connection to", socket.peer, (int)
                error));
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
        if (error != Errno.EAGAIN) refuse(socket, error, "sending to");
        return false;
    }

    private void sendPending(EpollSocket socket, Chain pending, Completions to) {
        if (pending.isEmpty()) return;
        long before = pending.size();
        int error = sendUntilFull(socket, pending);
        long count = before - pending.size() + socket.unreported;
        socket.unreported = 0;
        if (error != 0 && error != Errno.EAGAIN) {
            to.failed(socket.number, LinuxSockets.kind(error), kernel.sentence("sending to", socket.peer, error));
        } else if (count > 0) {
            to.sent(socket.number, count, pending.isEmpty());
        }
    }

    /// Sends until the chain is empty or the kernel takes no more, which an edge will end.
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
        if (on && socket.isReadable) serveLater(socket);
    }

    private void accept(EpollSocket listener, Completions to) {
        for (int i = 0; i < ACCEPTS_PER_EVENT; i++) {
            int fd = linux.accept4(listener.fd, address);
            if (fd < 0) {
                acceptedNothing(listener, -fd, to);
                return;
            }
            to.accepted(listener.number, accepted(fd, listener));
            if (!listener.isReceiving || !listener.isOpen()) return;
        }
        serveLater(listener);
    }

    private Accepted accepted(int fd, EpollSocket listener) {
        byte[] peer = address.copy();
        return new AcceptedDescriptor(linux, fd, peer, kernel.local(fd, listener.local));
    }

    private void acceptedNothing(EpollSocket listener, int error, Completions to) {
        switch (error) {
            case Errno.EAGAIN -> listener.isReadable = false;
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS, Errno.ENOMEM ->
                to.failed(listener.number, Failure.NO_RESOURCES, Errno.message(error));
            case Errno.EBADF, Errno.EINVAL -> to.failed(listener.number, Failure.OTHER, Errno.message(error));
            // accept(2): an error of the new connection, which is gone; the next one may be fine.
            default -> serveLater(listener);
        }
    }

    @Override
    public int listen(SocketAddress at, ListenOptions options) throws IOException {
        return register(listener(kernel.listen(at, options), at));
    }

    private EpollSocket listener(int fd, SocketAddress at) throws IOException {
        try {
            byte[] bound = kernel.bound(fd);
            var listener = new EpollSocket(fd, SocketAddresses.nobody(bound), bound);
            listener.isListener = true;
            var path = UnixPath.boundTo(at);
            if (path != null) paths.put(listener, path);
            return listener;
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    @Override
    public boolean hasDescriptors() {
        return true;
    }

    @Override
    public int listen(int descriptor, ListenOptions options) throws IOException {
        var listener = listener(descriptor, kernel.listen(descriptor, options));
        listener.isShared = true;
        return register(listener);
    }

    @Override
    public int share(int number) throws IOException {
        var listener = known(number);
        int descriptor = kernel.duplicate(listener.fd);
        listener.isShared = true;
        return descriptor;
    }

    @Override
    public void unshare(int number) {
        var listener = sockets.get(number);
        if (listener != null) listener.isShared = false;
    }

    @Override
    public void leave(int number) {
        var listener = known(number);
        listener.isShared = true;
        listener.isLeft = true;
        listener.isReceiving = false;
        serveLater(listener);
    }

    @Override
    public int adopt(Accepted accepted, SocketOptions options) throws IOException {
        // The options were set on the listener, and the kernel hands them on.
        var descriptor = (AcceptedDescriptor) accepted;
        return register(new EpollSocket(descriptor.fd, descriptor.peer, descriptor.local));
    }

    @Override
    public int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException {
        int family = SocketAddresses.family(to);
        byte[] peer = SocketAddresses.encode(to, family);
        int fd = linux.socket(family, SOCK_STREAM);
        if (fd < 0) return unopened(peer, -fd);
        kernel.configure(fd, family, options);
        var socket = new EpollSocket(fd, peer, SocketAddresses.nobody(peer));
        socket.isConnecting = true;
        int result = connect(socket, to, from);
        int number = register(socket);
        if (result < 0 && result != -Errno.EINPROGRESS) refuse(socket, -result, LinuxSockets.connecting(from));
        else if (result == 0) serveLater(socket);
        return number;
    }

    private int connect(EpollSocket socket, SocketAddress to, @Nullable SocketAddress from) throws IOException {
        try {
            return kernel.connect(socket.fd, to, from);
        } catch (IOException | RuntimeException e) {
            linux.close(socket.fd);
            throw e;
        }
    }

    /// A socket that could not be opened: its number fails in the next poll.
    private int unopened(byte[] peer, int error) throws IOException {
        var socket = new EpollSocket(NO_DESCRIPTOR, peer, SocketAddresses.nobody(peer));
        socket.number = sockets.add(socket);
        refuse(socket, error, "connecting to");
        return socket.number;
    }

    private void finishConnect(EpollSocket socket, int what, Completions to) {
        long error = linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error != 0) {
            int errno = (int) Math.abs(error);
            to.failed(socket.number, LinuxSockets.kind(errno), kernel.sentence("connecting to", socket.peer, errno));
            return;
        }
        socket.isConnecting = false;
        socket.local = kernel.connected(socket.fd, socket.peer);
        to.connected(socket.number);
        if (socket.isOpen()) transfer(socket, what, to);
    }

    private int register(EpollSocket socket) throws IOException {
        int number = numbered(socket);
        int result = linux.epollCtl(epoll, EPOLL_CTL_ADD, socket.fd, EVENTS, number);
        if (result == 0) return number;
        sockets.remove(number);
        linux.close(socket.fd);
        throw new IOException("cannot watch a socket: " + Errno.message(-result));
    }

    private int numbered(EpollSocket socket) throws IOException {
        try {
            socket.number = sockets.add(socket);
            return socket.number;
        } catch (IOException | RuntimeException e) {
            linux.close(socket.fd);
            throw e;
        }
    }

    /// Delivers a failure in the next poll: its caller is not ready for it now.
    private void refuse(EpollSocket socket, int error, String doing) {
        socket.refusal = kernel.refusal(doing, socket.peer, error);
        serveLater(socket);
    }

    @Override
    public void end(int number) {
        var socket = sockets.get(number);
        if (socket != null) linux.shutdown(socket.fd, SHUT_WR);
    }

    @Override
    public void close(int number) {
        var socket = sockets.remove(number);
        if (socket != null) close(socket);
    }

    @Override
    public void abort(int number) {
        var socket = sockets.remove(number);
        if (socket == null) return;
        linux.setLinger(socket.fd, 0);
        close(socket);
    }

    private void close(EpollSocket socket) {
        var path = paths.remove(socket);
        if (path != null && !socket.isShared) path.unlink();
        // While another process has it, closing it would not end this.
        if (socket.isShared) linux.epollCtl(epoll, EPOLL_CTL_DEL, socket.fd, 0, 0);
        if (socket.isOpen()) linux.close(socket.fd);
        socket.fd = NO_DESCRIPTOR;
        socket.refusal = null;
        // The kernel has copies of what it took.
        if (socket.pending != null) socket.pending.releaseAll(Slab.Owner.KERNEL, pool);
    }

    @Override
    public void wakeup() {
        wakeUp.wake();
    }

    @Override
    public Addresses addresses(int number) {
        return known(number);
    }

    private EpollSocket known(int number) {
        var socket = sockets.get(number);
        if (socket == null) throw new IllegalStateException("socket " + number + " is closed");
        return socket;
    }

    @Override
    public <T> void option(int number, SocketOption<T> name, T value) throws IOException {
        kernel.set(descriptor(number), name, value);
    }

    @Override
    public <T> T option(int number, SocketOption<T> name) throws IOException {
        return kernel.get(descriptor(number), name);
    }

    private int descriptor(int number) {
        return known(number).fd;
    }

    @Override
    public void close() {
        sockets.forEach(socket -> close(socket.number));
        linux.close(epoll);
        wakeUp.close();
    }
}
