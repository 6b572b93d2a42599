package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.os.Constants;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import io.millrace.transport.DescriptorSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Sockets that a service manager has opened, which is this test here.
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class InheritedSocketsTest {
    private static final long OWN = ProcessHandle.current().pid();
    private static final HandlerFactory HELLO = conn -> {
        conn.output().writeUtf8("hello");
        return in -> conn.output().move(in);
    };

    @TempDir
    Path folder;

    private record Managed(int descriptor, SocketAddress address) implements AutoCloseable {
        static Managed at(SocketAddress wanted, boolean listens) throws IOException {
            var linux = new Linux();
            var at = new SockAddr();
            at.set(wanted);
            boolean isUnix = wanted instanceof UnixDomainSocketAddress;
            int fd = linux.socket(isUnix ? Constants.AF_UNIX : Constants.AF_INET, Constants.SOCK_STREAM);
            assertEquals(0, linux.bind(fd, at));
            if (listens) assertEquals(0, linux.listen(fd, 16));
            return new Managed(fd, DescriptorSocket.addressOf(fd));
        }

        static Managed free() throws IOException {
            return at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), true);
        }

        InheritedSockets inherited() throws IOException {
            return InheritedSockets.of(environment(), OWN, descriptor);
        }

        static Map<String, String> environment() {
            return Map.of("LISTEN_PID", "" + OWN, "LISTEN_FDS", "1", "LISTEN_FDNAMES", "web");
        }

        @Override
        public void close() {
            new Linux().close(descriptor);
        }
    }

    private static Server serve(SocketAddress at, InheritedSockets sockets, EventLoops loops) {
        return Tcp.listen(Listen.on(at).loops(loops).inherited(sockets), HELLO);
    }

    private static void assertServes(SocketAddress at) throws IOException {
        try (var peer = SocketChannel.open(at)) {
            var hello = ByteBuffer.allocate(5);
            while (hello.hasRemaining()) assertTrue(peer.read(hello) > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_server_takes_the_socket_at_its_address_and_leaves_it_open(Loops kind) throws Exception {
        try (var managed = Managed.free();
                var loops = kind.start(2)) {
            var sockets = managed.inherited();
            assertEquals(1, sockets.untaken().size());
            // The second one finds the socket as it was: it still listens.
            for (int i = 0; i < 2; i++) {
                try (var server = serve(managed.address(), sockets, loops)) {
                    assertEquals(managed.address(), server.address());
                    assertServes(managed.address());
                }
            }
            assertEquals(List.of(), sockets.untaken());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_server_elsewhere_listens_by_itself(Loops kind) throws Exception {
        try (var managed = Managed.free();
                var loops = kind.start(1);
                var server =
                        serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), managed.inherited(), loops)) {
            assertServes(server.address());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void the_path_of_the_manager_stays_even_after_a_hot_restart(Loops kind) throws Exception {
        var path = folder.resolve("web.sock");
        var hand = folder.resolve("next.sock");
        try (var managed = Managed.at(UnixDomainSocketAddress.of(path), true);
                var loops = kind.start(1);
                var first = HandOver.at(hand)) {
            var on = Listen.on(managed.address()).loops(loops);
            try (var old = Tcp.listen(on.handOver(first).inherited(managed.inherited()), HELLO)) {
                first.ready(() -> {});
                try (var second = HandOver.at(hand);
                        var next = Tcp.listen(on.handOver(second), HELLO)) {
                    second.ready(() -> {});
                    assertEquals(OWN, first.successor().getAsLong());
                    assertEquals(OWN, second.predecessor().getAsLong());
                    assertTrue(old.drain(Duration.ofSeconds(50)));
                    assertServes(next.address());
                }
            }
            assertTrue(Files.exists(path));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_peer_that_came_before_the_drain_can_still_ask(Loops kind) throws Exception {
        Session echo = conn -> {
            if (conn.read()) conn.output().move(conn.input());
        };
        try (var managed = Managed.free();
                var loops = kind.start(1);
                var server = Tcp.serve(Listen.on(managed.address()).loops(loops).inherited(managed.inherited()), echo);
                var peer = SocketChannel.open(managed.address())) {
            while (server.connections() == 0) Thread.onSpinWait();
            var drain = Thread.ofPlatform().start(() -> server.drain(Duration.ofSeconds(50)));
            while (drain.getState() != Thread.State.TIMED_WAITING && drain.isAlive()) Thread.onSpinWait();
            peer.write(ByteBuffer.wrap(new byte[] {7}));
            var answer = ByteBuffer.allocate(1);
            assertEquals(1, peer.read(answer));
            drain.join();
        }
    }

    @Test
    void nio_says_that_it_cannot() throws Exception {
        try (var managed = Managed.free();
                var loops = Loops.NIO.start(1)) {
            var sockets = managed.inherited();
            var refused = assertThrows(UncheckedIOException.class, () -> serve(managed.address(), sockets, loops));
            assertEquals(
                    "the transport nio cannot listen on the sockets of the service manager (LISTEN_FDS): take epoll or"
                            + " uring, or start without them",
                    refused.getMessage());
        }
    }

    @Test
    void a_socket_is_found_by_its_name() throws Exception {
        try (var managed = Managed.free()) {
            assertEquals(Optional.of(managed.address()), managed.inherited().named("web"));
            assertEquals(Optional.empty(), managed.inherited().named("other"));
        }
    }

    @Test
    void a_socket_that_does_not_listen_is_refused() throws Exception {
        var nowhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var managed = Managed.at(nowhere, false)) {
            var refused = assertThrows(IOException.class, managed::inherited);
            assertEquals(
                    "descriptor " + managed.descriptor()
                            + " (web) of LISTEN_FDS is not a listening stream socket: use ListenStream= and Accept=no",
                    refused.getMessage());
        }
    }

    @Test
    void a_wrong_number_of_sockets_is_refused() {
        for (var count : List.of("", "-1", "x", "99999", "1025")) {
            var environment = Map.of("LISTEN_PID", "" + OWN, "LISTEN_FDS", count);
            assertThrows(IOException.class, () -> InheritedSockets.of(environment, OWN), count);
        }
    }

    @Test
    void sockets_for_another_process_are_not_touched() throws Exception {
        var environment = Map.of("LISTEN_PID", "1", "LISTEN_FDS", "7");
        assertTrue(InheritedSockets.of(environment, OWN).isEmpty());
        assertFalse(InheritedSockets.of(Map.of(), OWN).named("web").isPresent());
    }
}
