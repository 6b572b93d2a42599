package io.millrace.transport;

import static io.millrace.os.Constants.F_SETFL;
import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.os.Constants.POLLERR;
import static io.millrace.os.Constants.POLLIN;
import static io.millrace.os.Constants.POLLOUT;
import static io.millrace.os.Constants.SHUT_RDWR;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;
import static io.millrace.transport.UringSocket.ACCEPT;
import static io.millrace.transport.UringSocket.CANCEL;
import static io.millrace.transport.UringSocket.CONNECT;
import static io.millrace.transport.UringSocket.RECEIVE;
import static io.millrace.transport.UringSocket.SEND;
import static io.millrace.transport.UringSocket.WAKE;
import static io.millrace.transport.UringSocket.WATCH;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import io.millrace.os.Linux;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Linux's io_uring(7): operations are queued, and one system call for each poll submits them and waits.
///
/// A closed socket keeps its number and its descriptor until the kernel has ended its last operation, so a
/// completion never reaches another socket. Closing a socket cancels its operations; a send's slabs are
/// returned with its completion. Set up, used and closed by one thread.
public final class Uring extends LinuxTransport<UringSocket> {
    private static final System.Logger LOG = System.getLogger("io.millrace.transport");
    private static final int SUBMISSIONS = 1024;
    private static final int COMPLETIONS = 8192;

    private static final long CLOSE_PATIENCE_NANOS = 2_000_000_000;
    private static final long CLOSE_WAIT_NANOS = 10_000_000;

    /// Transports whose memory the kernel did not give back: kept for ever, because the kernel may still write
    /// to it.
    private static final Queue<Uring> LEAKED = new ConcurrentLinkedQueue<>();

    private final IoUring ring;
    private final LentSlabs lent;
    private final UringReceives receives;
    private final UringSends sends;
    private final UringAccepts accepts;

    /// @throws IOException when the kernel refuses, with the reason
    public Uring(SlabPool pool) throws IOException {
        this(pool, new Linux());
    }

    /// @param linux makes the system calls; belongs to the thread that uses the transport
    public Uring(SlabPool pool, Linux linux) throws IOException {
        super(pool, linux);
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
        receives = new UringReceives(ring, pool, lent, kernel, due);
        sends = new UringSends(ring, pool, kernel);
        accepts = new UringAccepts(this, ring);
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
        boolean mustLook = receives.prepare() || !due.isEmpty();
        ring.enter(mustLook ? 0 : timeoutNanos);
        sends.submitted();
        to.awake();
        boolean delivered = receives.tellStarved(to);
        delivered |= serveDue(to);
        for (int left = ring.ready(); left > 0; left--) {
            var socket = nextCompletion();
            if (socket != null) delivered |= completed(socket, to);
        }
        receives.takeBackUnused();
        return delivered;
    }

    /// Serves the sockets that had something left when the poll began.
    private boolean serveDue(Completions to) {
        boolean delivered = false;
        for (int left = due.size(); left > 0; left--) {
            var socket = due.next();
            if (!socket.isClosed) delivered |= serve(socket, to);
        }
        return delivered;
    }

    private boolean serve(UringSocket socket, Completions to) {
        if (socket.listener != null) return accepts.deliverHeld(socket, to);
        if (socket.isConnecting && socket.failure == null) return connected(socket, to);
        boolean delivered = receives.deliverHeld(socket, to);
        return tellFailure(socket, to) || delivered;
    }

    /// Takes a completion.
    ///
    /// @return its open socket; null when it concerns none
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

    /// The operation is over, or ends soon; otherwise the kernel lacked resources.
    private void cancelled(int number, int result) {
        var socket = sockets.get(number);
        if (socket == null || result >= 0 || result == -Errno.ENOENT || result == -Errno.EALREADY) return;
        if (socket.isClosed) cancelAll(socket);
        else if (socket.isCancelling) cancel(socket, socket.listener != null ? ACCEPT : RECEIVE);
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

    /// Reports a failure, once what had arrived before is reported.
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
        if (socket.listener != null) accepts.turn(socket, on);
        else receives.turn(socket, on);
    }

    @Override
    UringSocket socket(int fd, byte[] peer, byte[] local) {
        return new UringSocket(fd, peer, local);
    }

    @Override
    void begin(UringSocket socket) {}

    @Override
    void awaitConnected(UringSocket socket) {
        ring.poll(socket.fd, POLLOUT, socket.data(CONNECT));
        socket.began(CONNECT);
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
        // connect(2) must not block, but the ring's sends must.
        linux.fcntl(socket.fd, F_SETFL, 0);
        to.connected(socket.number);
        if (!socket.isClosed) receives.arm(socket);
        return true;
    }

    /// Earlier submissions are tried before they are cancelled, because submissions are taken in order.
    @Override
    void close(UringSocket socket) {
        var listener = socket.listener;
        if (listener != null) listener.release();
        socket.isClosed = true;
        socket.isReceiving = false;
        socket.release(pool);
        cancelAll(socket);
        if (listener != null) closeListener(socket, listener);
        buryWhenIdle(socket);
    }

    /// Another listener may want the same address at once, and the kernel keeps the file until the accept has
    /// ended.
    private void closeListener(UringSocket socket, LinuxListener listener) {
        ring.submitAll();
        sends.submitted();
        // That would end the other process's listener, too.
        if (!listener.isShared) linux.shutdown(socket.fd, SHUT_RDWR);
        closeDescriptor(socket);
    }

    private void buryWhenIdle(UringSocket socket) {
        if (!socket.isIdle()) return;
        closeDescriptor(socket);
        sockets.remove(socket.number);
    }

    @Override
    @Nullable
    UringSocket open(int number) {
        var socket = sockets.get(number);
        return socket == null || socket.isClosed ? null : socket;
    }

    @Override
    public void close() {
        boolean isReaped = false;
        try {
            sockets.forEach(socket -> {
                if (!socket.isClosed) close(socket);
            });
            isReaped = reapAll();
        } finally {
            if (isReaped) lent.close();
            ring.close();
            wakeUp.close();
            if (!isReaped) leak();
        }
    }

    /// Closing the ring ends its operations; otherwise peers would wait for what never happens.
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
