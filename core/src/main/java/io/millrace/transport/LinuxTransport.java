package io.millrace.transport;

import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.transport.LinuxSocket.NO_DESCRIPTOR;

import io.millrace.memory.SlabPool;
import io.millrace.os.Errno;
import io.millrace.os.Layouts;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import io.millrace.os.SocketAddresses;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Common to epoll and io_uring: sockets are opened, named, queried and ended by system calls. They differ in
/// how they wait, receive and send.
abstract class LinuxTransport<S extends LinuxSocket> implements Transport {
    final SlabPool pool;
    final Linux linux;
    final SockAddr address = new SockAddr();
    final LinuxSockets kernel;
    final SocketTable<S> sockets = new SocketTable<>();
    final DueSockets<S> due = new DueSockets<>();
    final WakeUp wakeUp;
    private final Optional<ListenerDescriptors> descriptors = Optional.of(new LinuxDescriptors<>(this));

    LinuxTransport(SlabPool pool, Linux linux) throws IOException {
        this.pool = pool;
        this.linux = linux;
        this.kernel = new LinuxSockets(linux, address);
        Layouts.check(linux);
        this.wakeUp = new WakeUp(linux);
    }

    abstract S socket(int fd, byte[] peer, byte[] local);

    /// The socket has a number: from now on the kernel may report events for it.
    abstract void begin(S socket) throws IOException;

    /// The connect(2) is still in progress: the kernel reports when it is done.
    abstract void awaitConnected(S socket);

    /// The socket of that number, or null when it is closed.
    abstract @Nullable S open(int number);

    abstract void close(S socket);

    @Override
    public final Optional<ListenerDescriptors> descriptors() {
        return descriptors;
    }

    @Override
    public final int listen(SocketAddress at, ListenOptions options) throws IOException {
        return listening(kernel.listen(at, options), at);
    }

    /// The number of a descriptor that listens.
    final int listening(int fd, SocketAddress at) throws IOException {
        return register(listener(fd, at));
    }

    private S listener(int fd, SocketAddress at) throws IOException {
        try {
            byte[] bound = kernel.bound(fd);
            var socket = socket(fd, SocketAddresses.nobody(bound), bound);
            socket.listener = new LinuxListener(UnixPath.boundTo(at));
            return socket;
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    /// What accept4(2) or io_uring's equivalent returned.
    final Accepted accepted(int fd, byte[] peer, S listener) {
        return new AcceptedDescriptor(linux, fd, peer, kernel.local(fd, listener.local));
    }

    /// An accept failed. A listener that cannot go on for now stops until [#receive] turns it on again.
    ///
    /// @return whether it stopped
    static boolean acceptFailed(LinuxSocket listener, int error, Completions to) {
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

    @Override
    public final int adopt(Accepted accepted, SocketOptions options) throws IOException {
        // The options were set on the listener, and its connections inherit them.
        var descriptor = (AcceptedDescriptor) accepted;
        return register(socket(descriptor.fd, descriptor.peer, descriptor.local));
    }

    /// By connect(2), which may fail at once. Failures, also a lack of descriptors, are reported in the next
    /// poll: the caller is not ready for them now.
    @Override
    public final int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException {
        int family = SocketAddresses.family(to);
        byte[] peer = SocketAddresses.encode(to, family);
        int fd = linux.socket(family, SOCK_STREAM);
        if (fd >= 0) kernel.configure(fd, family, options);
        var socket = socket(Math.max(fd, NO_DESCRIPTOR), peer, SocketAddresses.nobody(peer));
        socket.isConnecting = true;
        int result = fd < 0 ? fd : connect(fd, to, from);
        int number = register(socket);
        if (result == -Errno.EINPROGRESS) {
            awaitConnected(socket);
        } else {
            if (result < 0) socket.fail(kernel, LinuxSockets.connecting(from), -result);
            due.add(socket);
        }
        return number;
    }

    private int connect(int fd, SocketAddress to, @Nullable SocketAddress from) throws IOException {
        try {
            return kernel.connect(fd, to, from);
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    private int register(S socket) throws IOException {
        try {
            socket.number = sockets.add(socket);
            begin(socket);
            return socket.number;
        } catch (IOException | RuntimeException e) {
            sockets.remove(socket.number);
            closeDescriptor(socket);
            throw e;
        }
    }

    final void closeDescriptor(LinuxSocket socket) {
        if (socket.fd != NO_DESCRIPTOR) linux.close(socket.fd);
        socket.fd = NO_DESCRIPTOR;
    }

    @Override
    public final void end(int number) {
        var socket = open(number);
        if (socket != null) linux.shutdown(socket.fd, SHUT_WR);
    }

    @Override
    public final void close(int number) {
        var socket = open(number);
        if (socket != null) close(socket);
    }

    @Override
    public final void abort(int number) {
        var socket = open(number);
        if (socket == null) return;
        linux.setLinger(socket.fd, 0);
        close(socket);
    }

    @Override
    public final void wakeup() {
        wakeUp.wake();
    }

    @Override
    public final Addresses addresses(int number) {
        return known(number);
    }

    @Override
    public final <T> void option(int number, SocketOption<T> name, T value) throws IOException {
        kernel.set(known(number).fd, name, value);
    }

    @Override
    public final <T> T option(int number, SocketOption<T> name) throws IOException {
        return kernel.get(known(number).fd, name);
    }

    final S known(int number) {
        var socket = open(number);
        if (socket == null) throw new IllegalStateException("socket " + number + " is closed");
        return socket;
    }
}
