package io.millrace;

import static io.millrace.Eventually.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.os.Linux;
import io.millrace.transport.DescriptorSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// One process after the other, both of them here: each has its own loops.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(OS.LINUX)
class HandOverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    @TempDir
    Path folder;

    private Path path() {
        return folder.resolve("next.sock");
    }

    private static Listen free() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /// Says who it is, and sends back what it gets.
    private static HandlerFactory saying(String name) {
        return conn -> {
            conn.output().writeUtf8(name);
            return in -> conn.output().move(in);
        };
    }

    /// A process that serves at a free port.
    private record Running(HandOver handOver, EventLoops loops, Server server, CountDownLatch isTaken)
            implements AutoCloseable {
        static Running start(Path path, Loops kind, Listen listen, String name) throws IOException {
            var handOver = HandOver.at(path);
            var loops = kind.start(2);
            try {
                var server = Tcp.listen(listen.loops(loops).handOver(handOver), saying(name));
                return new Running(handOver, loops, server, new CountDownLatch(1));
            } catch (RuntimeException e) {
                handOver.close();
                loops.close();
                throw e;
            }
        }

        Running ready() throws IOException {
            handOver.ready(isTaken::countDown);
            return this;
        }

        @Override
        public void close() {
            server.close();
            loops.close();
            handOver.close();
        }
    }

    private static void assertServes(int port, String name) throws IOException {
        try (var peer = RawPeer.of(port)) {
            peer.assertReads(name);
            peer.send("?").assertReads("?");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void the_next_process_serves_at_the_same_place_and_the_one_before_keeps_its_connections(Loops kind)
            throws Exception {
        try (var first = Running.start(path(), kind, free(), "one").ready()) {
            int port = first.server.port();
            try (var old = RawPeer.of(port)) {
                old.assertReads("one");
                try (var second = Running.start(path(), kind, free(), "two").ready()) {
                    assertEquals(port, second.server.port());
                    first.isTaken.await();
                    assertServes(port, "two");
                    old.send("still").assertReads("still");
                    old.end().assertEnd();
                    assertTrue(first.server.drain(PATIENCE));
                    assertServes(port, "two");
                }
            }
        }
        assertFalse(Files.exists(path()));
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_process_that_ends_before_it_is_ready_has_changed_nothing(Loops kind) throws Exception {
        try (var first = Running.start(path(), kind, free(), "one").ready()) {
            int port = first.server.port();
            for (int i = 0; i < 3; i++) {
                try (var second = Running.start(path(), kind, free(), "two")) {
                    assertEquals(port, second.server.port());
                    assertServes(port, "one");
                }
                assertServes(port, "one");
            }
            try (var third = Running.start(path(), kind, free(), "three").ready()) {
                assertServes(port, "three");
                assertEquals(port, third.server.port());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void all_listeners_of_an_address_are_handed_over(Loops kind) throws Exception {
        try (var first = Running.start(path(), kind, free().reusePort(true), "one")
                        .ready();
                var second = Running.start(path(), kind, free(), "two").ready()) {
            first.isTaken.await();
            // The kernel still spreads them over both.
            for (int i = 0; i < 32; i++) assertServes(second.server.port(), "two");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void nobody_who_connects_meanwhile_is_lost(Loops kind) throws Exception {
        var processes = new ArrayList<Running>();
        try {
            processes.add(Running.start(path(), kind, free(), "x").ready());
            int port = processes.getFirst().server.port();
            var stop = new CountDownLatch(1);
            var served = CompletableFuture.supplyAsync(() -> serveUntil(stop, port));
            for (int i = 0; i < 10; i++) {
                processes.add(Running.start(path(), kind, free(), "x").ready());
            }
            stop.countDown();
            assertTrue(served.join() > 0);
        } finally {
            processes.forEach(Running::close);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void those_who_wait_for_a_place_are_served_by_one_of_both(Loops kind) throws Exception {
        var peers = new ArrayList<RawPeer>();
        try (var first =
                Running.start(path(), kind, free().maxConnections(1), "one").ready()) {
            for (int i = 0; i < 10; i++) peers.add(RawPeer.of(first.server));
            peers.getFirst().assertReads("one");
            try (var second = Running.start(path(), kind, free(), "two").ready()) {
                for (var peer : peers.subList(1, peers.size())) {
                    assertTrue(List.of("one", "two").contains(peer.read(3)));
                    peer.send("?").assertReads("?");
                }
                assertServes(second.server.port(), "two");
            }
        } finally {
            for (var peer : peers) peer.close();
        }
    }

    private static int serveUntil(CountDownLatch stop, int port) {
        int count = 0;
        try {
            do {
                assertServes(port, "x");
                count++;
            } while (stop.getCount() > 0);
        } catch (IOException e) {
            throw new UncheckedIOException("after " + count, e);
        }
        return count;
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void a_unix_socket_keeps_its_path(Loops kind) throws Exception {
        var at = UnixDomainSocketAddress.of(folder.resolve("app.sock"));
        try (var second = afterAnother(kind, at)) {
            assertTrue(Files.exists(at.getPath()));
            try (var peer = SocketChannel.open(at)) {
                var name = ByteBuffer.allocate(3);
                while (name.hasRemaining()) assertTrue(peer.read(name) > 0);
                assertEquals("two", UTF_8.decode(name.flip()).toString());
            }
            assertEquals(at, second.server.address());
        }
        assertFalse(Files.exists(at.getPath()));
    }

    /// The one before has ended.
    private Running afterAnother(Loops kind, UnixDomainSocketAddress at) throws Exception {
        try (var first = Running.start(path(), kind, Listen.on(at), "one").ready()) {
            var second = Running.start(path(), kind, Listen.on(at), "two").ready();
            first.isTaken.await();
            return second;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void what_the_next_process_does_not_want_closes_with_the_one_before(Loops kind) throws Exception {
        try (var first = Running.start(path(), kind, free(), "one").ready()) {
            int port = first.server.port();
            var other = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0);
            try (var second =
                    Running.start(path(), kind, Listen.on(other), "two").ready()) {
                first.isTaken.await();
                assertThrows(ConnectException.class, () -> RawPeer.of(port).close());
                try (var peer = SocketChannel.open(second.server.address())) {
                    assertTrue(peer.isConnected());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void no_descriptor_stays_behind(Loops kind) throws Exception {
        try (var first = Running.start(path(), kind, free(), "one").ready()) {
            long before = Proc.descriptors();
            for (int i = 0; i < 3; i++)
                Running.start(path(), kind, free(), "two").close();
            until(() -> Proc.descriptors() == before);
            assertServes(first.server.port(), "one");
        }
    }

    @Test
    void nio_is_refused_with_the_remedy() {
        var thrown = assertThrows(
                UncheckedIOException.class,
                () -> Running.start(path(), Loops.NIO, free(), "one").close());
        assertMentions(thrown, "nio cannot hand its listening sockets over");
        assertMentions(thrown, "take epoll or uring");
    }

    @Test
    void a_path_that_nobody_serves_is_taken() throws Exception {
        DescriptorSocket.listen(folder.resolve("stale")).close();
        var stale = DescriptorSocket.listen(folder.resolve("other"));
        stale.moveTo(path());
        Files.move(path(), folder.resolve("kept"));
        stale.close();
        Files.move(folder.resolve("kept"), path());
        try (var first = Running.start(path(), Loops.EPOLL, free(), "one").ready()) {
            assertServes(first.server.port(), "one");
            var owner = PosixFilePermissions.fromString("rw-------");
            assertEquals(owner, Files.getPosixFilePermissions(path()));
        }
    }

    @Test
    void a_file_in_the_way_stays() throws Exception {
        Files.writeString(path(), "precious");
        try (var first = Running.start(path(), Loops.EPOLL, free(), "one")) {
            var thrown = assertThrows(IOException.class, first::ready);
            assertMentions(thrown, "exists and is not a socket");
        }
        assertEquals("precious", Files.readString(path()));
    }

    // Strangers.

    private DescriptorSocket connected() throws IOException {
        return DescriptorSocket.connect(path(), Duration.ofSeconds(20)).orElseThrow();
    }

    private static String received(DescriptorSocket from) throws IOException {
        var message = from.receive().orElseThrow();
        DescriptorSocket.closeAll(message.descriptors());
        return message.text();
    }

    @Test
    void another_version_is_refused_with_a_sentence() throws Exception {
        try (var first = Running.start(path(), Loops.EPOLL, free(), "one").ready()) {
            try (var stranger = connected()) {
                stranger.send("millrace-hand-over 9", List.of());
                assertEquals(
                        "refused this process speaks millrace-hand-over 1, and the next one millrace-hand-over 9:"
                                + " stop this one, then start the other",
                        received(stranger));
                assertTrue(stranger.receive().isEmpty());
            }
            try (var stranger = connected()) {
                stranger.send("GET / HTTP/1.1", List.of());
                assertTrue(received(stranger).startsWith("refused "));
            }
            assertServes(first.server.port(), "one");
        }
    }

    @Test
    void who_says_anything_but_ready_takes_nothing_over() throws Exception {
        try (var first = Running.start(path(), Loops.EPOLL, free(), "one").ready()) {
            try (var stranger = connected()) {
                stranger.send("millrace-hand-over 1", List.of());
                assertEquals("millrace-hand-over 1 1", received(stranger));
                assertTrue(received(stranger).startsWith("sockets 0 "));
                stranger.send("steady", List.of());
                assertTrue(stranger.receive().isEmpty());
            }
            assertServes(first.server.port(), "one");
        }
    }

    /// A process at the path that says this, and then ends.
    private IOException refusedBy(List<String> texts, List<Integer> descriptors) throws Exception {
        try (var listener = DescriptorSocket.listen(path())) {
            var saying = CompletableFuture.runAsync(() -> {
                try (var next = listener.accept().orElseThrow()) {
                    next.receive();
                    for (var text : texts) next.send(text, descriptors);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            var thrown = assertThrows(IOException.class, () -> HandOver.at(path()));
            saying.join();
            return thrown;
        }
    }

    @Test
    void a_process_before_that_talks_nonsense_is_left_alone() throws Exception {
        assertMentions(refusedBy(List.of("refused because"), List.of()), "does not hand over: because");
        assertMentions(refusedBy(List.of("millrace-hand-over 2 1"), List.of()), "stop it, then start this one");
        assertMentions(refusedBy(List.of("millrace-hand-over 1 x"), List.of()), "stop it, then start this one");
        assertMentions(refusedBy(List.of("millrace-hand-over 1 5000"), List.of()), "at most 1024");
        assertMentions(refusedBy(List.of("millrace-hand-over 1 2", "sockets 0 00"), List.of()), "in the middle");
        assertMentions(refusedBy(List.of("millrace-hand-over 1 1", "socks 0 00"), List.of()), "socks 0 00");
    }

    /// Becomes ready after a process that has nothing to hand over, and then says this, if anything.
    private Running readyAfter(DescriptorSocket listener, List<String> texts) throws Exception {
        var saying = CompletableFuture.runAsync(() -> {
            try (var next = listener.accept().orElseThrow()) {
                next.receive();
                next.send("millrace-hand-over 1 0", List.of());
                next.receive();
                for (var text : texts) next.send(text, List.of());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        var running = Running.start(path(), Loops.EPOLL, free(), "two");
        try {
            return running.ready();
        } catch (IOException e) {
            running.close();
            throw e;
        } finally {
            saying.join();
        }
    }

    @Test
    void a_process_that_was_too_slow_does_not_serve_beside_the_one_before() throws Exception {
        try (var listener = DescriptorSocket.listen(path())) {
            var thrown = assertThrows(IOException.class, () -> readyAfter(listener, List.of("refused too late")));
            assertMentions(thrown, "does not hand over: too late");
            assertTrue(Files.exists(path()));
        }
    }

    @Test
    void a_process_serves_when_the_one_before_ends_without_a_word() throws Exception {
        try (var listener = DescriptorSocket.listen(path());
                var second = readyAfter(listener, List.of())) {
            assertServes(second.server.port(), "two");
        }
    }

    @Test
    void descriptors_of_a_hand_over_that_breaks_off_are_closed() throws Exception {
        long before = Proc.descriptors();
        int own = new Linux().eventfd();
        var nonsense = List.of("millrace-hand-over 1 3", "sockets 0 00", "nonsense");
        assertMentions(refusedBy(nonsense, List.of(own, own)), "nonsense");
        DescriptorSocket.closeAll(List.of(own));
        until(() -> Proc.descriptors() == before);
    }

    private static void assertMentions(Exception thrown, String part) {
        var message = String.valueOf(thrown.getMessage());
        assertTrue(message.contains(part), message);
    }
}
