package io.millrace.os;

import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Constants.IPPROTO_IP;
import static io.millrace.os.Constants.IPPROTO_IPV6;
import static io.millrace.os.Constants.IPV6_FREEBIND;
import static io.millrace.os.Constants.IP_FREEBIND;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_LINGER;
import static io.millrace.os.Errno.EADDRNOTAVAIL;
import static io.millrace.os.Errno.EAFNOSUPPORT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Checks by behaviour that the structs of this package match the running kernel's: each is passed to it with
/// known values, which must come back.
///
/// Uses eventfds, a socket pair and sockets that are bound but never listen.
public final class Layouts {
    private static final long FIRST = 0x0123_4567_89AB_CDEFL;
    private static final long SECOND = 0xFEDC_BA98_7654_3210L;

    private final Linux linux;
    private final MemorySegment memory;
    private final List<Integer> opened = new ArrayList<>();

    private Layouts(Linux linux, Arena arena) {
        this.linux = linux;
        memory = arena.allocate(32, 8);
    }

    /// Meant for every start: about thirty system calls.
    ///
    /// @throws IllegalStateException naming the struct that differs here, or the call that this kernel or its
    ///     sandbox refuses, with the reason
    public static void check(Linux linux) {
        try (var arena = Arena.ofConfined()) {
            new Layouts(linux, arena).check();
        }
    }

    private void check() {
        try {
            checkEpollEvent();
            checkIovec();
            checkSockaddr("sockaddr_in", InetAddress.ofLiteral("127.1.2.3"), IPPROTO_IP, IP_FREEBIND);
            checkSockaddr(
                    "sockaddr_in6",
                    InetAddress.ofLiteral("2001:db8:405:607:809:a0b:c0d:e0f"),
                    IPPROTO_IPV6,
                    IPV6_FREEBIND);
            checkSockaddrUn();
            checkLinger();
        } finally {
            for (int fd : opened) {
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
        long out = memory.address();
        long in = out + 16;
        memory.set(JAVA_LONG, 0, FIRST);
        memory.set(JAVA_LONG, 8, SECOND);
        var message = new Msghdr(2);
        message.add(out + 8, 8);
        message.add(out, 8);
        int sent = succeeded("sendmsg", linux.sendmsg(pair[0], message));
        int received = succeeded("recv", linux.recv(pair[1], in, 16));
        boolean same = memory.get(JAVA_LONG, 16) == SECOND && memory.get(JAVA_LONG, 24) == FIRST;
        require("msghdr or iovec", sent == 16 && received == 16 && same);
    }

    /// Binds to a host whose bytes all differ: displaced by any distance, some of them would get lost.
    private void checkSockaddr(String struct, InetAddress host, int level, int freebind) {
        var bound = new SockAddr();
        int family = setHost(bound, host);
        int result = linux.socket(family, SOCK_STREAM);
        if (result == -EAFNOSUPPORT) {
            return;
        }
        int socket = open("socket", result);
        // Lets the bind succeed although no machine has the one address, and where the loopback is down the
        // other.
        boolean isFree = linux.setsockopt(socket, level, freebind, 1) == 0;
        result = linux.bind(socket, bound);
        if (result == -EADDRNOTAVAIL && !isFree) {
            return;
        }
        succeeded("bind", result);
        var named = new SockAddr();
        succeeded("getsockname", linux.getsockname(socket, named));
        boolean same = named.length() == bound.length()
                && named.get() instanceof InetSocketAddress name
                && name.getAddress().equals(host)
                && name.getPort() != 0;
        require(struct, same);
    }

    private static int setHost(SockAddr place, InetAddress host) {
        try {
            var address = new InetSocketAddress(host, 0);
            place.set(address);
            return SocketAddresses.family(address);
        } catch (IOException impossible) {
            throw new AssertionError("an IP address is no address", impossible);
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
        String name = address.get() instanceof UnixDomainSocketAddress unix
                ? unix.getPath().toString()
                : "";
        require("sockaddr_un", name.startsWith("@") && name.length() == "@0abcd".length());
    }

    private void checkLinger() {
        int socket = open("socket", linux.socket(AF_UNIX, SOCK_STREAM));
        succeeded("setsockopt", linux.setLinger(socket, 5));
        int length = succeeded("getsockopt", linux.getsockopt(socket, SOL_SOCKET, SO_LINGER, memory.address(), 16));
        boolean same = memory.get(JAVA_INT, 0) == 1 && memory.get(JAVA_INT, 4) == 5;
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
