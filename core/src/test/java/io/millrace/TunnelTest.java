package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static io.millrace.WatermarkTest.assertAtMost;
import static io.millrace.WatermarkTest.untilStill;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The layer-4 proxy between two plain sockets, with its upstream connections on every choice of loops.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TunnelTest {
    /// Where the upstream connections live.
    enum Upstream {
        SAME,
        SHARED,
        OWN
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of(Upstream.values()).map(upstream -> Arguments.of(kind, upstream)));
    }

    /// A tunnel with one client and one plain upstream socket.
    private static final class Tunnelled implements AutoCloseable {
        final EventLoops loops;
        final EventLoops own;
        final ServerSocket backend;
        final Server server;
        final RawPeer client;
        final RawPeer upstream;

        Tunnelled(Loops kind, Upstream where) throws IOException {
            loops = kind.start(2);
            own = where == Upstream.OWN ? kind.start(1) : loops;
            backend = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            var tunnel = Tunnel.to(backend.getLocalSocketAddress());
            server = Tcp.listen(local(loops), where == Upstream.SAME ? tunnel : tunnel.upstreamLoops(own));
            client = RawPeer.withSmallWindow(server);
            upstream = new RawPeer(backend.accept());
        }

        long slabBytesInUse() {
            return Stream.of(loops, own)
                    .distinct()
                    .flatMap(group -> group.counters().stream())
                    .mapToLong(counters -> counters.slabBytesInUse())
                    .sum();
        }

        /// Both connections are gone, with their memory; without the peers' help.
        void assertEmpty() {
            until(() -> Stream.of(loops, own)
                    .flatMap(group -> group.counters().stream())
                    .allMatch(counters -> counters.connections() == 0));
            until(() -> slabBytesInUse() == 0);
        }

        @Override
        public void close() throws IOException {
            client.close();
            upstream.close();
            backend.close();
            server.close();
            loops.close();
            own.close();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void the_clients_end_passes_and_the_answer_still_comes(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            tunnelled.client.send("question").end();
            assertEquals("question", new String(tunnelled.upstream.readAll(), UTF_8));
            tunnelled.upstream.send("answer").end();
            assertEquals("answer", new String(tunnelled.client.readAll(), UTF_8));
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void the_upstreams_end_passes_and_the_client_goes_on(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            tunnelled.upstream.send("greeting").end();
            assertEquals("greeting", new String(tunnelled.client.readAll(), UTF_8));
            tunnelled.client.send("much ").send("later").end();
            assertEquals("much later", new String(tunnelled.upstream.readAll(), UTF_8));
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void the_clients_reset_passes(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            tunnelled.client.send("x");
            tunnelled.upstream.assertReads("x");
            tunnelled.client.reset();
            tunnelled.upstream.assertReset();
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void the_upstreams_reset_passes(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            tunnelled.client.send("x");
            tunnelled.upstream.assertReads("x");
            tunnelled.upstream.reset();
            tunnelled.client.assertReset();
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_slow_client_holds_its_upstream_back(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            assertHeldBack(tunnelled, tunnelled.upstream, tunnelled.client);
            tunnelled.client.end();
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_slow_upstream_holds_its_client_back(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            assertHeldBack(tunnelled, tunnelled.client, tunnelled.upstream);
            tunnelled.upstream.end();
            tunnelled.assertEmpty();
        }
    }

    private static void assertHeldBack(Tunnelled tunnelled, RawPeer from, RawPeer to) throws Exception {
        var sent = new byte[48 << 20];
        new Random(8).nextBytes(sent);
        var sender = CompletableFuture.runAsync(() -> WatermarkTest.sendAndEnd(from, sent));
        untilStill(tunnelled.loops);
        assertTrue(!sender.isDone(), "the tunnel took all 48 MiB for a peer that reads nothing");
        assertAtMost(4 << 20, tunnelled.slabBytesInUse());
        assertArrayEquals(sent, to.readAll());
        sender.get();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_reset_while_a_slow_side_holds_back_leaves_nothing(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            var sender = tunnelled.client.sendForEver();
            untilStill(tunnelled.loops);
            tunnelled.upstream.reset();
            // The kernel tells of a reset once, and it may have told the sender.
            tunnelled.client.assertGone();
            sender.join();
            tunnelled.assertEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void loops_close_while_both_sides_are_full(Loops kind, Upstream where) throws Exception {
        try (var tunnelled = new Tunnelled(kind, where)) {
            var forth = tunnelled.client.sendForEver();
            var back = tunnelled.upstream.sendForEver();
            untilStill(tunnelled.loops);
            tunnelled.loops.close();
            forth.join();
            back.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_upstream_that_refuses_resets_the_client(Loops kind) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Machine.closedPort());
        long refused = CoreGuards.UPSTREAM.count();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), Tunnel.to(address));
                var client = RawPeer.of(server)) {
            client.assertReset();
            assertEquals(refused + 1, CoreGuards.UPSTREAM.count());
            until(() -> loops.counters().getFirst().connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_upstream_that_does_not_answer_resets_the_client(Loops kind) throws Exception {
        long expired = CoreGuards.CONNECT_TIMEOUT.count();
        try (var loops = kind.start(1);
                var silent = new ConnectTest.Silent();
                var server =
                        Tcp.listen(local(loops), Tunnel.to(silent.address()).connectTimeout(Duration.ofMillis(50)));
                var client = RawPeer.of(server)) {
            client.send("hello?").assertReset();
            assertEquals(expired + 1, CoreGuards.CONNECT_TIMEOUT.count());
            until(() -> loops.counters().getFirst().connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_client_sends_before_its_upstream_is_there_arrives(Loops kind) throws Exception {
        HandlerFactory echo = conn -> in -> conn.output().move(in);
        try (var loops = kind.start(1);
                var backend = Tcp.listen(local(loops), echo);
                var server = Tcp.listen(local(loops), Tunnel.to(backend.address()))) {
            for (int i = 0; i < 50; i++) {
                try (var client = RawPeer.of(server)) {
                    client.send("hello").end();
                    assertEquals("hello", new String(client.readAll(), UTF_8));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_client_that_leaves_at_once_leaves_nothing(Loops kind, Upstream where) throws Exception {
        HandlerFactory echo = conn -> in -> conn.output().move(in);
        var own = kind.start(2);
        try (var loops = kind.start(2);
                var backend = Tcp.listen(local(loops), echo)) {
            var same = Tunnel.to(backend.address());
            var tunnel = where == Upstream.SAME ? same : same.upstreamLoops(where == Upstream.OWN ? own : loops);
            try (var server = Tcp.listen(local(loops), tunnel)) {
                for (int i = 0; i < 100; i++) {
                    var client = RawPeer.of(server);
                    if (i % 2 == 0) client.send("hello");
                    if (i % 3 == 0) client.reset();
                    else client.close();
                }
                until(() -> server.connections() == 0 && backend.connections() == 0);
            }
        }
        own.close();
    }

    @ParameterizedTest
    @EnumSource
    void upstreams_take_turns(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var one = Tcp.listen(local(loops), conn -> greeting(conn, "one"));
                var two = Tcp.listen(local(loops), conn -> greeting(conn, "two"));
                var server = Tcp.listen(local(loops), Tunnel.to(one.address(), two.address()))) {
            var heard = new ArrayList<String>();
            for (int i = 0; i < 4; i++) {
                try (var client = RawPeer.of(server)) {
                    heard.add(client.read(3));
                }
            }
            assertEquals(List.of("one", "two", "one", "two"), heard);
        }
    }

    private static Handler greeting(Connection conn, String text) {
        conn.output().writeUtf8(text);
        return in -> in.skip(in.remaining());
    }
}
