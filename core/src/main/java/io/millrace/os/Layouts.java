package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.AF_INET6;
import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_LINGER;
import static io.millrace.os.Errno.EADDRNOTAVAIL;
import static io.millrace.os.Errno.EAFNOSUPPORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Checks by behaviour that the structs of this package are the running kernel's: each is passed to it filled
/// with known values, and what comes back must be them.
///
/// Uses eventfds, a socket pair and sockets that are bound to the loopback but never listen.
public final class Layouts {
    private static final long FIRST = 0x0123_4567_89AB_CDEFL;
    private static final long SECOND = 0xFEDC_BA98_7654_3210L;

    private final Linux linux;
    private final List<Integer> opened = new ArrayList<>();

    private Layouts(Linux linux) {
        this.linux = linux;
    }

    /// Meant for every start: about thirty system calls.
    ///
    /// @throws IllegalStateException naming the struct that is another here, or the call that this kernel or its
    ///     sandbox refuses, with the reason
    public static void check(Linux linux) {
        var layouts = new Layouts(linux);
        try {
            layouts.checkEpollEvent();
            layouts.checkIovec();
            layouts.checkSockaddrIn("sockaddr_in", AF_INET, new byte[] {127, 0, 0, 1});
            layouts.checkSockaddrIn(
                    "sockaddr_in6", AF_INET6, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
            layouts.checkSockaddrUn();
            layouts.checkLinger();
        } finally {
            for (int fd : layouts.opened) {
                linux.close(fd);
            }
        }
    }

    private void checkEpollEvent() {
        int epoll = open("epoll_create1", linux.epollCreate1());
        int first = open("eventfd", linux.eventfd());
        int second = open("eventfd", linux.eventfd());
        succeeded("epoll_ctl", linux.epollCtl(epoll, EPOLL_CTL_ADD, first, EPOLLIN, FIRST));
        succeeded("epoll_ctl", linux.epollCtl(epoll, EPOLL_CTL_ADD, second, EPOLLIN, SECOND));
        Linux.eventfdWrite(first);
        Linux.eventfdWrite(second);
        var events = new EpollEvents(3);
        int count = succeeded("epoll_wait", linux.epollWait(epoll, events, 0));
        boolean inOrder = events.data(0) == FIRST && events.data(1) == SECOND;
        boolean inReverse = events.data(0) == SECOND && events.data(1) == FIRST;
        boolean readable = events.events(0) == EPOLLIN && events.events(1) == EPOLLIN;
        require("epoll_event", count == 2 && readable && (inOrder || inReverse));
    }

    private void checkIovec() {
        var pair = new int[2];
        succeeded("socketpair", linux.socketpair(SOCK_STREAM, pair));
        opened.add(pair[0]);
        opened.add(pair[1]);
        var memory = Arena.ofAuto().allocate(32, 8);
        long out = memory.address();
        long in = out + 16;
        RawMemory.putLong(out, FIRST);
        RawMemory.putLong(out + 8, SECOND);
        var message = new Msghdr(2);
        message.add(out + 8, 8);
        message.add(out, 8);
        int sent = succeeded("sendmsg", linux.sendmsg(pair[0], message));
        int received = succeeded("recv", linux.recv(pair[1], in, 16));
        boolean same = RawMemory.getLong(in) == SECOND && RawMemory.getLong(in + 8) == FIRST;
        Reference.reachabilityFence(memory);
        require("msghdr or iovec", sent == 16 && received == 16 && same);
    }

    private void checkSockaddrIn(String struct, int family, byte[] loopback) {
        int result = linux.socket(family, SOCK_STREAM);
        if (result == -EAFNOSUPPORT) {
            return;
        }
        int socket = open("socket", result);
        var address = loopbackAddress(loopback);
        int bound = linux.bind(socket, address);
        if (bound == -EADDRNOTAVAIL) {
            return; // the network namespace's loopback is down, or without IPv6
        }
        succeeded("bind", bound);
        int length = address.length();
        succeeded("getsockname", linux.getsockname(socket, address));
        boolean same = address.get() instanceof InetSocketAddress here
                && Arrays.equals(here.getAddress().getAddress(), loopback)
                && here.getPort() != 0
                && address.length() == length;
        require(struct, same);
    }

    private static SockAddr loopbackAddress(byte[] loopback) {
        try {
            var address = new SockAddr();
            address.set(new InetSocketAddress(InetAddress.getByAddress(loopback), 0));
            return address;
        } catch (IOException impossible) {
            throw new AssertionError("the loopback address is no address", impossible);
        }
    }

    /// A Unix socket bound to no path gets an abstract name from the kernel, which starts with a zero: unix(7),
    /// "Autobind feature". So no file is needed.
    private void checkSockaddrUn() {
        int socket = open("socket", linux.socket(AF_UNIX, SOCK_STREAM));
        var address = new SockAddr();
        address.setUnnamed();
        succeeded("bind", linux.bind(socket, address));
        succeeded("getsockname", linux.getsockname(socket, address));
        byte[] struct = address.copy();
        require("sockaddr_un", struct.length > 3 && struct[0] == AF_UNIX && struct[2] == 0 && struct[3] != 0);
    }

    private void checkLinger() {
        int socket = open("socket", linux.socket(AF_UNIX, SOCK_STREAM));
        succeeded("setsockopt", linux.setLinger(socket, 5));
        var memory = Arena.ofAuto().allocate(16, 8);
        long linger = memory.address();
        int length = succeeded("getsockopt", linux.getsockopt(socket, SOL_SOCKET, SO_LINGER, linger, 16));
        boolean same = RawMemory.getInt(linger) == 1 && RawMemory.getInt(linger + 4) == 5;
        Reference.reachabilityFence(memory);
        require("linger", length == 8 && same);
    }

    private int open(String call, int result) {
        int fd = succeeded(call, result);
        opened.add(fd);
        return fd;
    }

    private static int succeeded(String call, int result) {
        if (result < 0) {
            throw new IllegalStateException(
                    call + " failed with " + Errno.name(-result) + ": " + Errno.message(-result));
        }
        return result;
    }

    private static void require(String struct, boolean same) {
        if (!same) {
            throw new IllegalStateException("struct " + struct + " is laid out otherwise on this kernel ("
                    + System.getProperty("os.version") + ", " + System.getProperty("os.arch")
                    + "); use the NIO transport here");
        }
    }
}
