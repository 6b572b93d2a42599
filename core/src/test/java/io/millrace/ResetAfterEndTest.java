package io.millrace;

import static io.millrace.ClosingTest.onLoop;
import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A reset that comes while a connection is half-closed closes it, and leaves the loop in peace. The kernel shows
/// such a socket as readable and hung up for ever, which a loop that only waits for readiness would spin on.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResetAfterEndTest {
    private static final byte[] MUCH = new byte[16 << 20];

    /// Leaves the other direction open when the peer has ended.
    private static class HalfOpen extends Heard {
        HalfOpen(Connection conn) {
            super(conn);
        }

        @Override
        public void onEnd(Connection ended) {
            calls.add("end");
        }
    }

    /// Not on NIO, which cannot wait for a reset alone: see the next test.
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "EPOLL_WITHOUT_CARRIERS", "URING", "URING_WITHOUT_CARRIERS"})
    void the_peers_end_and_then_its_reset_close_a_connection_that_does_nothing(Loops kind) throws Exception {
        var handlers = new Handlers<>(HalfOpen::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.end();
            assertEquals("end", heard.calls.take());
            peer.reset();
            assertClosedByReset(heard, loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_peers_end_and_then_its_reset_close_a_connection_that_answers(Loops kind) throws Exception {
        var handlers = new Handlers<>(HalfOpen::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.end();
            assertEquals("end", heard.calls.take());
            peer.reset();
            assertStaysStill(loops);
            // NIO meets the reset here; epoll has told of it already.
            onLoop(heard, () -> heard.conn.output().writeUtf8("answer"));
            assertClosedByReset(heard, loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_peers_end_and_then_its_reset_close_a_connection_that_waits_to_send(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new HalfOpen(conn) {
            @Override
            public void onEnd(Connection ended) {
                super.onEnd(ended);
                ended.output().write(MUCH, 0, MUCH.length);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var heard = handlers.next();
            peer.end();
            assertEquals("end", heard.calls.take());
            assertStaysStill(loops);
            peer.reset();
            assertClosedByReset(heard, loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_peers_end_and_then_its_reset_close_a_connection_that_is_closing(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onEnd(Connection ended) {
                ended.output().write(MUCH, 0, MUCH.length);
                super.onEnd(ended);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var heard = handlers.next();
            peer.end();
            assertEquals("end", heard.calls.take());
            assertStaysStill(loops);
            peer.reset();
            assertClosedByReset(heard, loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void our_end_and_then_the_peers_reset_close_the_connection(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            heard.conn.end();
            peer.assertEnd();
            peer.reset();
            assertClosedByReset(heard, loops);
        }
    }

    /// As a tunnel does when the other side is slow.
    @ParameterizedTest
    @EnumSource
    void a_paused_connection_whose_peer_ended_and_reset_closes_when_it_resumes(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                conn.pause();
                calls.add("paused");
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.send("x");
            assertEquals("paused", heard.calls.take());
            peer.end();
            peer.reset();
            assertStaysStill(loops);
            heard.conn.resume();
            // Epoll told of the reset; NIO finds the end, and this handler closes then.
            heard.closed.get();
            assertNothingIsLeft(heard, loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_hears_of_the_reset_when_it_writes_behind_the_peers_end(Loops kind) throws Exception {
        var ended = new CompletableFuture<String>();
        var goOn = new CompletableFuture<String>();
        var thrown = new CompletableFuture<String>();
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), conn -> {
                    try {
                        while (conn.read()) conn.input().skip(conn.input().remaining());
                        ended.complete("ended");
                        goOn.get();
                        while (true) conn.output().write(MUCH, 0, MUCH.length);
                    } catch (IOException | RuntimeException | InterruptedException e) {
                        thrown.complete(e.toString());
                        throw e;
                    }
                });
                var peer = RawPeer.of(server)) {
            peer.end();
            ended.get();
            peer.reset();
            assertStaysStill(loops);
            goOn.complete("now");
            thrown.get();
            until(() -> server.connections() == 0);
            assertStaysStill(loops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_closes_when_the_client_resets_behind_its_own_end(Loops kind) throws Exception {
        try (var tunnelled = new Tunnelled(kind)) {
            tunnelled.client.end();
            assertEquals("end", tunnelled.upstream.calls.take());
            tunnelled.client.reset();
            // NIO meets the reset with what the tunnel brings back; epoll may have told of it already.
            onLoop(tunnelled.upstream, () -> tunnelled.upstream.conn.output().writeUtf8("answer"));
            tunnelled.assertCloses();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_closes_when_the_client_resets_behind_the_upstreams_end(Loops kind) throws Exception {
        try (var tunnelled = new Tunnelled(kind)) {
            onLoop(tunnelled.upstream, tunnelled.upstream.conn::end);
            tunnelled.client.assertEnd();
            tunnelled.client.reset();
            tunnelled.assertCloses();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tunnel_closes_when_the_upstream_resets_behind_the_clients_end(Loops kind) throws Exception {
        try (var tunnelled = new Tunnelled(kind)) {
            tunnelled.client.end();
            assertEquals("end", tunnelled.upstream.calls.take());
            onLoop(tunnelled.upstream, tunnelled.upstream.conn::abort);
            tunnelled.client.assertReset();
            tunnelled.assertCloses();
        }
    }

    /// A client whose bytes have come through a tunnel to a server that leaves its direction open.
    private static final class Tunnelled implements AutoCloseable {
        final Handlers<HalfOpen> backends = new Handlers<>(HalfOpen::new);
        final EventLoops loops;
        final Server backend;
        final Server tunnel;
        final RawPeer client;
        final HalfOpen upstream;

        Tunnelled(Loops kind) throws Exception {
            loops = kind.start(1);
            backend = Tcp.listen(local(loops), backends);
            tunnel = Tcp.listen(local(loops), Tunnel.to(backend.address()));
            client = RawPeer.of(tunnel).send("x");
            upstream = backends.next();
            assertEquals("x", upstream.calls.take());
        }

        void assertCloses() throws Exception {
            until(() -> tunnel.connections() == 0);
            // The server behind may be on NIO, too, and have heard the end before the reset.
            onLoop(upstream, () -> upstream.conn.output().writeUtf8("too late"));
            upstream.closed.get();
            assertNothingIsLeft(upstream, loops);
        }

        @Override
        public void close() {
            client.close();
            loops.close();
        }
    }

    private static void assertClosedByReset(Heard heard, EventLoops loops) throws Exception {
        assertTrue(heard.closed.get().startsWith("Reset: "), heard.closed.get());
        assertNothingIsLeft(heard, loops);
    }

    private static void assertNothingIsLeft(Heard heard, EventLoops loops) throws Exception {
        assertStaysStill(loops);
        assertEquals(
                List.of("close"),
                heard.callsSoFar().stream().filter("close"::equals).toList());
        assertEquals(0, loops.counters().getFirst().connections());
        assertEquals(0, loops.counters().getFirst().slabBytesInUse());
    }

    /// Waits until the loop makes no turn any more, which one that spins never does.
    private static void assertStaysStill(EventLoops loops) throws Exception {
        Eventually.untilStill("turns", () -> loops.counters().getFirst().turns(), 100);
    }
}
