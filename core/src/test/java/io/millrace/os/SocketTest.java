package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.AF_INET6;
import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLLOUT;
import static io.millrace.os.Constants.F_DUPFD_CLOEXEC;
import static io.millrace.os.Constants.IPPROTO_IPV6;
import static io.millrace.os.Constants.IPV6_V6ONLY;
import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;
import static io.millrace.os.Descriptors.loopback;
import static io.millrace.os.Descriptors.ok;
import static io.millrace.os.Descriptors.sockAddr;
import static io.millrace.os.TestedConstants.FD_CLOEXEC;
import static io.millrace.os.TestedConstants.F_GETFD;
import static io.millrace.os.TestedConstants.F_GETFL;
import static io.millrace.os.TestedConstants.O_NONBLOCK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class SocketTest {
    private final Descriptors descriptors = new Descriptors();
    private final Linux linux = descriptors.linux;
    private final long memory = descriptors.memory(64).address();

    @AfterEach
    void close() {
        descriptors.close();
    }

    @Test
    void accepting_tells_the_peer_and_bytes_go_both_ways() throws IOException {
        int listener = descriptors.listener();
        var peer = new SockAddr();
        assertEquals(-Errno.EAGAIN, linux.accept4(listener, peer));

        int client = descriptors.connected(listener);
        descriptors.await(listener, EPOLLIN);
        int server = descriptors.opened(linux.accept4(listener, peer));
        descriptors.await(client, EPOLLOUT);
        assertEquals(0, linux.getsockopt(client, SOL_SOCKET, SO_ERROR));
        assertEquals(descriptors.nameOf(client), peer.get());
        assertEquals(8, peer.copy().length, "without padding");

        ok(linux.getpeername(client, peer));
        assertEquals(descriptors.nameOf(listener), peer.get());

        echo(client, server);
        echo(server, client);
    }

    private void echo(int from, int to) {
        RawMemory.putLong(memory, 0x1122_3344_5566_7788L);
        assertEquals(8, linux.send(from, memory, 8));
        descriptors.await(to, EPOLLIN);
        assertEquals(8, linux.recv(to, memory + 8, 56));
        assertEquals(0x1122_3344_5566_7788L, RawMemory.getLong(memory + 8));
        assertEquals(-Errno.EAGAIN, linux.recv(to, memory, 64));
    }

    @Test
    void every_descriptor_is_close_on_exec_and_sockets_never_block() throws IOException {
        int listener = descriptors.listener();
        int client = descriptors.connected(listener);
        descriptors.await(listener, EPOLLIN);
        int accepted = descriptors.opened(linux.accept4(listener, new SockAddr()));
        int[] pair = descriptors.socketpair();
        for (int fd : new int[] {listener, client, accepted, pair[0], pair[1], descriptors.eventfd()}) {
            assertEquals(O_NONBLOCK, linux.fcntl(fd, F_GETFL, 0) & O_NONBLOCK);
            assertEquals(FD_CLOEXEC, linux.fcntl(fd, F_GETFD, 0));
        }
        assertEquals(FD_CLOEXEC, linux.fcntl(descriptors.opened(linux.epollCreate1()), F_GETFD, 0));
    }

    @Test
    void a_half_closed_peer_reads_the_end_and_still_sends() {
        int[] pair = descriptors.socketpair();
        ok(linux.shutdown(pair[0], SHUT_WR));
        assertEquals(0, linux.recv(pair[1], memory, 64));
        assertEquals(3, linux.send(pair[1], memory, 3));
        assertEquals(3, linux.recv(pair[0], memory, 64));
    }

    @Test
    void sending_to_a_closed_peer_is_an_error_and_not_a_signal() {
        int[] pair = descriptors.socketpair();
        descriptors.closeNow(pair[1]);
        assertEquals(-Errno.EPIPE, linux.send(pair[0], memory, 1));
    }

    @Test
    void lingering_for_no_time_resets_the_peer() throws IOException {
        int listener = descriptors.listener();
        int client = descriptors.connected(listener);
        descriptors.await(listener, EPOLLIN);
        int server = descriptors.opened(linux.accept4(listener, new SockAddr()));
        ok(linux.setLinger(server, 0));
        descriptors.closeNow(server);
        descriptors.await(client, EPOLLIN);
        assertEquals(-Errno.ECONNRESET, linux.recv(client, memory, 64));
    }

    @Test
    void a_port_where_nobody_listens_refuses() throws IOException {
        int bound = descriptors.socket(AF_INET);
        ok(linux.bind(bound, sockAddr(loopback(0))));
        int client = descriptors.socket(AF_INET);
        int result = linux.connect(client, sockAddr(descriptors.nameOf(bound)));
        if (result == -Errno.EINPROGRESS) {
            descriptors.await(client, EPOLLOUT);
            result = -(int) linux.getsockopt(client, SOL_SOCKET, SO_ERROR);
        }
        assertEquals(-Errno.ECONNREFUSED, result);
    }

    @Test
    void an_address_can_be_bound_once() throws IOException {
        int listener = descriptors.listener();
        var taken = sockAddr(descriptors.nameOf(listener));
        assertEquals(-Errno.EADDRINUSE, linux.bind(descriptors.socket(AF_INET), taken));
    }

    @Test
    void misuse_has_its_errno() throws IOException {
        var address = new SockAddr();
        int eventfd = descriptors.eventfd();
        int socket = descriptors.socket(AF_INET);
        assertEquals(-Errno.ENOTSOCK, linux.recv(eventfd, memory, 1));
        assertEquals(-Errno.ENOTCONN, linux.recv(socket, memory, 1));
        assertEquals(-Errno.ENOTCONN, linux.getpeername(socket, address));
        assertEquals(-Errno.EINVAL, linux.accept4(socket, address));
        assertEquals(-Errno.ENOPROTOOPT, linux.setsockopt(socket, SOL_SOCKET, 9999, 1));
        assertEquals(-Errno.ENOPROTOOPT, linux.getsockopt(socket, SOL_SOCKET, 9999));
        assertEquals(-Errno.EAFNOSUPPORT, linux.socket(4096, 1));
        address.set(new InetSocketAddress(
                InetAddress.ofLiteral("192.0.2.1"), 0)); // a documentation address, RFC 5737: nobody has it
        assertEquals(-Errno.EADDRNOTAVAIL, linux.bind(socket, address));
        assertEquals(-Errno.EFAULT, linux.send(descriptors.socketpair()[0], 8, 1));
        assertEquals(-Errno.EBADF, linux.recv(-1, memory, 1));
        assertEquals(-Errno.EBADF, linux.close(-1));
    }

    @Test
    void an_errno_does_not_outlive_its_call() {
        int[] pair = descriptors.socketpair();
        assertEquals(-Errno.EAGAIN, linux.recv(pair[0], memory, 1));
        assertEquals(1, linux.send(pair[1], memory, 1));
        assertEquals(1, linux.recv(pair[0], memory, 1));
        assertEquals(-Errno.EBADF, linux.send(-1, memory, 1));
    }

    @Test
    void ipv6_listens_and_names_its_peer() throws IOException {
        int listener = descriptors.socket(AF_INET6);
        var loopback = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
        assumeTrue(linux.bind(listener, sockAddr(loopback)) == 0, "no IPv6 on the loopback");
        ok(linux.listen(listener, 1));
        int client = descriptors.socket(AF_INET6);
        int connecting = linux.connect(client, sockAddr(descriptors.nameOf(listener)));
        assertTrue(connecting == 0 || connecting == -Errno.EINPROGRESS, Errno.name(-connecting));
        descriptors.await(listener, EPOLLIN);
        var peer = new SockAddr();
        descriptors.opened(linux.accept4(listener, peer));
        assertEquals(descriptors.nameOf(client), peer.get());
        assertEquals(28, peer.copy().length);
    }

    @Test
    void a_dual_stack_listener_sees_ipv4_peers_as_ipv4() throws IOException {
        int listener = descriptors.socket(AF_INET6);
        ok(linux.setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, 0));
        var any = new SockAddr();
        any.set(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0), AF_INET6);
        ok(linux.bind(listener, any));
        ok(linux.listen(listener, 1));
        int port = ((InetSocketAddress) descriptors.nameOf(listener)).getPort();

        int client = descriptors.socket(AF_INET);
        int connecting = linux.connect(client, sockAddr(loopback(port)));
        assertTrue(connecting == 0 || connecting == -Errno.EINPROGRESS, Errno.name(-connecting));
        descriptors.await(listener, EPOLLIN);
        var peer = new SockAddr();
        descriptors.opened(linux.accept4(listener, peer));
        assertEquals(descriptors.nameOf(client), peer.get());
    }

    @Test
    void unix_sockets_listen_at_a_path_and_connect_to_it(@TempDir Path folder) throws IOException {
        SocketAddress path = UnixDomainSocketAddress.of(folder.resolve("socket"));
        int listener = descriptors.socket(AF_UNIX);
        ok(linux.bind(listener, sockAddr(path)));
        ok(linux.listen(listener, 1));
        assertEquals(path, descriptors.nameOf(listener));
        int client = descriptors.socket(AF_UNIX);
        ok(linux.connect(client, sockAddr(path)));
        var peer = new SockAddr();
        int server = descriptors.opened(linux.accept4(listener, peer));
        assertEquals(UnixDomainSocketAddress.of(""), peer.get());
        ok(linux.getpeername(client, peer));
        assertEquals(path, peer.get());
        echo(client, server);
        assertEquals(-Errno.EADDRINUSE, linux.bind(descriptors.socket(AF_UNIX), sockAddr(path)));
    }

    @Test
    void unix_sockets_say_what_is_wrong_with_a_path(@TempDir Path folder) throws IOException {
        int socket = descriptors.socket(AF_UNIX);
        var missing = UnixDomainSocketAddress.of(folder.resolve("missing"));
        assertEquals(-Errno.ENOENT, linux.connect(socket, sockAddr(missing)));
        var nowhere = UnixDomainSocketAddress.of(folder.resolve("missing/socket"));
        assertEquals(-Errno.ENOENT, linux.bind(socket, sockAddr(nowhere)));
    }

    @Test
    void a_descriptor_can_be_doubled() {
        int fd = descriptors.eventfd();
        int twin = descriptors.opened(linux.fcntl(fd, F_DUPFD_CLOEXEC, 0));
        assertNotEquals(fd, twin);
        Linux.eventfdWrite(twin);
        assertEquals(1, linux.eventfdRead(fd));
    }

    @Test
    void two_threads_have_an_errno_each() throws InterruptedException {
        int[] pair = descriptors.socketpair();
        var mistaken = new int[1];
        var other = Thread.ofPlatform().start(() -> {
            var theirs = new Linux();
            for (int i = 0; i < 50_000; i++) {
                mistaken[0] += theirs.recv(-1, memory, 1) == -Errno.EBADF ? 0 : 1;
            }
        });
        for (int i = 0; i < 50_000; i++) {
            assertEquals(-Errno.EAGAIN, linux.recv(pair[0], memory + 8, 1));
        }
        other.join();
        assertEquals(0, mistaken[0]);
    }
}
