package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.SOCK_STREAM;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Opens what a test needs and closes it with the test: descriptors, and native memory by address.
final class Descriptors implements AutoCloseable {
    final Linux linux = new Linux();
    private final List<Integer> open = new ArrayList<>();
    private final Arena arena = Arena.ofConfined();

    /// `result` itself; a failure fails the test with the errno's name.
    static int ok(int result) {
        if (result < 0) {
            throw new AssertionError(Errno.name(-result) + ": " + Errno.message(-result));
        }
        return result;
    }

    int opened(int result) {
        int fd = ok(result);
        open.add(fd);
        return fd;
    }

    int eventfd() {
        return opened(linux.eventfd());
    }

    int socket(int family) {
        return opened(linux.socket(family, SOCK_STREAM));
    }

    int[] socketpair() {
        var pair = new int[2];
        ok(linux.socketpair(SOCK_STREAM, pair));
        open.add(pair[0]);
        open.add(pair[1]);
        return pair;
    }

    /// A TCP listener on a free port of the loopback.
    int listener() throws IOException {
        int fd = socket(AF_INET);
        ok(linux.bind(fd, sockAddr(loopback(0))));
        ok(linux.listen(fd, 16));
        return fd;
    }

    /// A TCP connection to `listener`, perhaps still under way.
    int connected(int listener) throws IOException {
        int fd = socket(AF_INET);
        int result = linux.connect(fd, sockAddr(nameOf(listener)));
        return result == -Errno.EINPROGRESS ? fd : fd + ok(result);
    }

    /// Waits until `fd` has one of `events`, for as long as the test may run.
    void await(int fd, int events) {
        int epoll = ok(linux.epollCreate1());
        ok(linux.epollCtl(epoll, Constants.EPOLL_CTL_ADD, fd, events, 0));
        int ready = linux.epollWait(epoll, new EpollEvents(1), -1);
        linux.close(epoll);
        if (ready != 1) {
            throw new AssertionError("epoll_wait without a limit brought " + ready + " events");
        }
    }

    SocketAddress nameOf(int fd) {
        var name = new SockAddr();
        ok(linux.getsockname(fd, name));
        return name.get();
    }

    static SockAddr sockAddr(SocketAddress address) throws IOException {
        var sockAddr = new SockAddr();
        sockAddr.set(address);
        return sockAddr;
    }

    static InetSocketAddress loopback(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }

    MemorySegment memory(int lengthBytes) {
        return arena.allocate(lengthBytes, 8);
    }

    void closeNow(int fd) {
        open.remove(Integer.valueOf(fd));
        ok(linux.close(fd));
    }

    @Override
    public void close() {
        open.forEach(linux::close);
        arena.close();
    }
}
