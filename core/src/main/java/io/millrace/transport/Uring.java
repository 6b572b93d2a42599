package io.millrace.transport;

import static io.millrace.os.Constants.F_SETFL;
import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.os.Constants.POLLERR;
import static io.millrace.os.Constants.POLLIN;
import static io.millrace.os.Constants.POLLOUT;
import static io.millrace.os.Constants.SHUT_RDWR;
import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;
import static io.millrace.transport.UringSocket.ACCEPT;
import static io.millrace.transport.UringSocket.CANCEL;
import static io.millrace.transport.UringSocket.CONNECT;
import static io.millrace.transport.UringSocket.NO_DESCRIPTOR;
import static io.millrace.transport.UringSocket.RECEIVE;
import static io.millrace.transport.UringSocket.SEND;
import static io.millrace.transport.UringSocket.WAKE;
import static io.millrace.transport.UringSocket.WATCH;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import io.millrace.os.Layouts;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import io.millrace.os.SocketAddresses;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Linux's io_uring(7): operations are queued, and one system call for each poll hands them over and waits.
///
/// A closed socket keeps its number and its descriptor until the kernel has ended the last operation of it, so a
/// completion never finds a stranger. What the kernel does is cancelled when its socket closes; slabs of a send
/// under way go home with its completion. Set up, used and closed by one thread.
public final class Uring implements Transport {
    private static final System.Logger LOG = System.getLogger("io.millrace.transport");
    private static final int SUBMISSIONS = 1024;
    private static final int COMPLETIONS = 8192;

    private static final long CLOSE_PATIENCE_NANOS = 2_000_000_000;
    private static final long CLOSE_WAIT_NANOS = 10_000_000;

    /// Transports whose memory the kernel did not give back: kept for ever, because it may still write to it.
    private static final Queue<Uring> LEAKED = new ConcurrentLinkedQueue<>();

    private final SlabPool pool;
    private final Linux linux = new Linux();
    private final SockAddr address = new SockAddr();
    private final LinuxSockets kernel = new LinuxSockets(linux, address);
    private final SocketTable<UringSocket> sockets = new SocketTable<>();

    /// Those that have something to tell in the next poll.
    private final ArrayDeque<UringSocket> again = new ArrayDeque<>();

    private final IoUring ring;
    private final LentSlabs lent;
    private final WakeUp wakeUp;
    private final UringReceives receives;
    private final UringSends sends;
    private final UringAccepts accepts;

    /// @throws IOException when the kernel refuses, with the reason
    public Uring(SlabPool pool) throws IOException {
        this.pool = pool;
        Layouts.check(linux);
        wakeUp = new WakeUp(linux);
        try {
            ring = IoUring.setUp(linux, SUBMISSIONS, COMPLETIONS);
        } catch (IOException | RuntimeException | Error e) {
            wakeUp.close();
            throw e;
        }
        try {
            lent = new LentSlabs(linux, ring, pool);
        } catch (IOException | RuntimeException | Error e) {
            ring.close();
            wakeUp.close();
            throw e;
        }
        receives = new UringReceives(ring, pool, lent, kernel, again);
        sends = new UringSends(ring, pool, kernel);
        accepts = new UringAccepts(ring, linux, kernel, address, again);
        awaitWakeUps();
    }

    /// Why this transport does not work here, in a sentence; empty when it does.
    public static Optional<String> unavailableBecause() {
        return UringProbe.unavailableBecause();
    }

    @Override
    public String name() {
        return "uring";
    }

    private void awaitWakeUps() {
        ring.pollMany(wakeUp.fd, POLLIN, (long) WAKE << 32);
    }

    @Override
    public boolean poll(long timeoutNanos, Completions to) {
        boolean mustLook = receives.prepare() || !again.isEmpty();
        ring.enter(mustLook ? 0 : timeoutNanos);
        sends.submitted();
        to.awake();
        boolean delivered = receives.tellStarved(to);
        delivered |= serveAgain(to);
        for (int left = ring.ready(); left > 0; left--) {
            var socket = nextCompletion();
            if (socket != null) delivered |= completed(socket, to);
        }
        receives.takeBackUnused();
        return delivered;
    }

    /// Serves the sockets that had something left when the poll began.
    private boolean serveAgain(Completions to) {
        boolean delivered = false;
        for (int left = again.size(); left > 0; left--) {
            var socket = again.remove();
            socket.isQueued = false;
            if (!socket.isClosed) delivered |= serve(socket, to);
        }
        return delivered;
    }

    private boolean serve(UringSocket socket, Completions to) {
        if (socket.isListener) return accepts.deliverHeld(socket, to);
        if (socket.isConnecting && socket.failure == null) return connected(socket, to);
        boolean delivered = receives.deliverHeld(socket, to);
        return tellFailure(socket, to) || delivered;
    }

    /// Takes a completion.
    ///
    /// @return the open socket that it is of; null when it concerns none
    private @Nullable UringSocket nextCompletion() {
        ring.advance();
        int operation = (int) (ring.data() >>> 32);
        int number = (int) ring.data();
        if (operation == WAKE && (ring.flags() & IORING_CQE_F_MORE) == 0) awaitWakeUps();
        if (operation == CANCEL) cancelled(number, ring.result());
        if (operation == WAKE || operation == CANCEL) return null;
        var socket = sockets.get(number);
        assert socket != null : "operation " + operation + " of socket " + number + ", which is gone";
        if (!socket.isClosed) return socket;
        completedTooLate(socket, operation, ring.result(), ring.flags());
        return null;
    }

    /// The completion taken last.
    private boolean completed(UringSocket socket, Completions to) {
        int result = ring.result();
        int flags = ring.flags();
        boolean delivered = switch ((int) (ring.data() >>> 32)) {
            case ACCEPT -> accepts.completed(socket, result, flags, to);
            case RECEIVE -> receives.completed(socket, result, flags, to);
            case SEND -> sends.completed(socket, result, to);
            case CONNECT -> finishConnect(socket, result, to);
            default -> watched(socket, result, flags);
        };
        return tellFailure(socket, to) || delivered;
    }

    /// It is over by now, or it ends soon; otherwise the kernel was short of something.
    private void cancelled(int number, int result) {
        var socket = sockets.get(number);
        if (socket == null || result >= 0 || result == -Errno.ENOENT || result == -Errno.EALREADY) return;
        if (socket.isClosed) cancelAll(socket);
        else if (socket.isCancelling) cancel(socket, socket.isListener ? ACCEPT : RECEIVE);
    }

    private void cancelAll(UringSocket socket) {
        for (int operation = ACCEPT; operation <= WATCH; operation++) cancel(socket, operation);
    }

    private void cancel(UringSocket socket, int operation) {
        if (socket.isUnderWay(operation)) ring.cancel(socket.data(operation), socket.data(CANCEL));
    }

    private void completedTooLate(UringSocket socket, int operation, int result, int flags) {
        switch (operation) {
            case ACCEPT -> accepts.completedTooLate(socket, result, flags);
            case RECEIVE -> receives.completedTooLate(socket, flags);
            case SEND -> sends.completedTooLate(socket);
            default -> {
                if ((flags & IORING_CQE_F_MORE) == 0) socket.over(operation);
            }
        }
        buryWhenIdle(socket);
    }

    /// Tells a failure, once what had arrived before is told.
    private static boolean tellFailure(UringSocket socket, Completions to) {
        var failure = socket.failure;
        if (failure == null || socket.failureWasTold || socket.isClosed) return false;
        if (socket.isUnderWay(RECEIVE) || socket.isWaiting || (socket.isReceiving && socket.isHolding())) return false;
        socket.failureWasTold = true;
        socket.isReceiving = false;
        to.failed(socket.number, failure.kind(), failure.detail());
        return true;
    }

    /// Something happened to a connection that does not receive: an error, or an end that will be received.
    private boolean watched(UringSocket socket, int result, int flags) {
        if ((flags & IORING_CQE_F_MORE) == 0) socket.over(WATCH);
        if (result < 0 || (result & POLLERR) == 0) return false;
        long error = linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error > 0) socket.fail(kernel, "connection to", (int) error);
        return false;
    }

    @Override
    public boolean send(int number, Chain bytes) {
        bytes.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        var socket = open(number);
        if (socket == null) bytes.releaseAll(Slab.Owner.KERNEL, pool);
        if (bytes.isEmpty() || socket == null) return true;
        sends.begin(socket, bytes);
        return false;
    }

    @Override
    public void receive(int number, boolean on) {
        var socket = open(number);
        if (socket == null) return;
        if (socket.isListener) accepts.turn(socket, on);
        else receives.turn(socket, on);
    }

    @Override
    public int listen(SocketAddress at, ListenOptions options) throws IOException {
        return numbered(accepts.listener(kernel.listen(at, options), at));
    }

    @Override
    public boolean hasDescriptors() {
        return true;
    }

    @Override
    public int listen(int descriptor, ListenOptions options) throws IOException {
        var listener = accepts.listener(descriptor, kernel.listen(descriptor, options));
        listener.isShared = true;
        return numbered(listener);
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
        var listener = open(number);
        if (listener != null) listener.isShared = false;
    }

    @Override
    public void leave(int number) {
        var listener = known(number);
        listener.isShared = true;
        accepts.leave(listener);
    }

    @Override
    public int adopt(Accepted accepted, SocketOptions options) throws IOException {
        // The options were set on the listener, and the kernel hands them on.
        var descriptor = (AcceptedDescriptor) accepted;
        return numbered(new UringSocket(descriptor.fd, descriptor.peer, descriptor.local));
    }

    /// By connect(2), which knows at once what can be known at once; the ring only waits for the rest.
    @Override
    public int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException {
        int family = SocketAddresses.family(to);
        byte[] peer = SocketAddresses.encode(to, family);
        int fd = linux.socket(family, SOCK_STREAM);
        if (fd >= 0) kernel.configure(fd, family, options);
        var socket = new UringSocket(Math.max(fd, NO_DESCRIPTOR), peer, SocketAddresses.nobody(peer));
        socket.isConnecting = true;
        int number = numbered(socket);
        int result = fd < 0 ? fd : kernel.connect(fd, to, from);
        if (result == -Errno.EINPROGRESS) {
            ring.poll(fd, POLLOUT, socket.data(CONNECT));
            socket.began(CONNECT);
        } else {
            if (result < 0) socket.fail(kernel, LinuxSockets.connecting(from), -result);
            socket.serveLater(again);
        }
        return number;
    }

    private boolean finishConnect(UringSocket socket, int result, Completions to) {
        socket.over(CONNECT);
        long error = result < 0 ? result : linux.getsockopt(socket.fd, SOL_SOCKET, SO_ERROR);
        if (error == 0) return connected(socket, to);
        socket.fail(kernel, "connecting to", (int) Math.abs(error));
        return false;
    }

    private boolean connected(UringSocket socket, Completions to) {
        socket.isConnecting = false;
        socket.local = kernel.connected(socket.fd, socket.peer);
        // connect(2) must not wait, but the ring's sends have to.
        linux.fcntl(socket.fd, F_SETFL, 0);
        to.connected(socket.number);
        if (!socket.isClosed) receives.arm(socket);
        return true;
    }

    private int numbered(UringSocket socket) throws IOException {
        try {
            socket.number = sockets.add(socket);
            return socket.number;
        } catch (IOException | RuntimeException e) {
            closeDescriptor(socket);
            throw e;
        }
    }

    @Override
    public void end(int number) {
        var socket = open(number);
        if (socket != null) linux.shutdown(socket.fd, SHUT_WR);
    }

    @Override
    public void close(int number) {
        var socket = open(number);
        if (socket != null) close(socket);
    }

    @Override
    public void abort(int number) {
        var socket = open(number);
        if (socket == null) return;
        linux.setLinger(socket.fd, 0);
        close(socket);
    }

    /// What was submitted before is tried before it is cancelled: submissions are taken in their order.
    private void close(UringSocket socket) {
        if (socket.isListener) accepts.release(socket);
        socket.isClosed = true;
        socket.isReceiving = false;
        socket.release(pool);
        cancelAll(socket);
        if (socket.isListener) closeListener(socket);
        buryWhenIdle(socket);
    }

    /// Somebody may want to listen at the same place at once, and the kernel keeps the file until the accept has
    /// ended.
    private void closeListener(UringSocket listener) {
        ring.submitAll();
        sends.submitted();
        // It would end the other process's, too.
        if (!listener.isShared) linux.shutdown(listener.fd, SHUT_RDWR);
        closeDescriptor(listener);
    }

    private void buryWhenIdle(UringSocket socket) {
        if (!socket.isIdle()) return;
        closeDescriptor(socket);
        sockets.remove(socket.number);
    }

    private void closeDescriptor(UringSocket socket) {
        if (socket.fd != NO_DESCRIPTOR) linux.close(socket.fd);
        socket.fd = NO_DESCRIPTOR;
    }

    @Override
    public void wakeup() {
        wakeUp.wake();
    }

    @Override
    public Addresses addresses(int number) {
        return known(number);
    }

    private UringSocket known(int number) {
        var socket = open(number);
        if (socket == null) throw new IllegalStateException("socket " + number + " is closed");
        return socket;
    }

    private @Nullable UringSocket open(int number) {
        var socket = sockets.get(number);
        return socket == null || socket.isClosed ? null : socket;
    }

    @Override
    public <T> void option(int number, SocketOption<T> name, T value) throws IOException {
        kernel.set(known(number).fd, name, value);
    }

    @Override
    public <T> T option(int number, SocketOption<T> name) throws IOException {
        return kernel.get(known(number).fd, name);
    }

    @Override
    public void close() {
        boolean isReaped = false;
        try {
            sockets.forEach(socket -> close(socket.number));
            isReaped = reapAll();
        } finally {
            if (isReaped) lent.close();
            ring.close();
            wakeUp.close();
            if (!isReaped) leak();
        }
    }

    /// The kernel ends with the ring what was under way; peers must not wait for what nobody does any more.
    private void leak() {
        LEAKED.add(this);
        sockets.forEach(this::closeDescriptor);
        LOG.log(Level.WARNING, "io_uring did not end {0} sockets in time: their memory is kept", sockets.size());
    }

    /// Whether the kernel has ended everything.
    private boolean reapAll() {
        long startNanos = System.nanoTime();
        while (sockets.size() > 0 && System.nanoTime() - startNanos < CLOSE_PATIENCE_NANOS) {
            ring.enter(CLOSE_WAIT_NANOS);
            for (int left = ring.ready(); left > 0; left--) nextCompletion();
        }
        return sockets.size() == 0;
    }
}
