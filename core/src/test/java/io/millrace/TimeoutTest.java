package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Timeouts expire when they should, and only then. When exactly is tested in the simulation, whose time is exact.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimeoutTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @ParameterizedTest
    @EnumSource
    void an_idle_connection_times_out(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).idleTimeout(SHORT), handlers);
                var peer = RawPeer.of(server)) {
            peer.assertReset();
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("TimedOut: idle for 50 ms (timeout.idle), peer 127.0.0.1:"), cause);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_sends_nothing_times_out(Loops kind) throws Exception {
        var handlers = new Handlers<>(Talking::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).readTimeout(SHORT), handlers);
                var peer = RawPeer.of(server)) {
            peer.assertReset();
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("TimedOut: no byte received for 50 ms (timeout.read)"), cause);
        }
    }

    /// Sends something every few milliseconds, so that it is never idle.
    private static final class Talking extends Heard {
        Talking(Connection conn) {
            super(conn);
            talk();
        }

        private void talk() {
            if (closed.isDone()) return;
            conn.output().writeByte('.');
            conn.loop().after(Duration.ofMillis(5), this::talk);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_takes_nothing_times_out(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                conn.output().write(new byte[16 << 20], 0, 16 << 20);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).writeTimeout(SHORT), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("x");
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("TimedOut: no byte sent for 50 ms (timeout.write)"), cause);
            peer.assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_that_closes_for_a_peer_that_takes_nothing_times_out(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                conn.output().write(new byte[16 << 20], 0, 16 << 20);
                conn.close();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).writeTimeout(SHORT), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("x");
            assertTrue(handlers.next().closed.get().startsWith("TimedOut: no byte sent"));
            peer.assertReset();
        }
    }

    /// By itself, when nothing else limits the time: on the loop, on workers, and as a session that returns. A peer
    /// that
    /// has ended may read on, and is given no more time than others.
    @ParameterizedTest
    @MethodSource("closings")
    void a_closing_connection_has_a_deadline(Loops kind, String style, boolean peerEnds) throws Exception {
        long acted = CoreGuards.CLOSE_TIMEOUT.count();
        var much = new byte[16 << 20];
        var limits = Listen.on(TcpTest.loopback()).closeTimeout(SHORT);
        HandlerFactory closing = conn -> in -> {
            in.skip(in.remaining());
            conn.output().write(much, 0, much.length);
            if (style.startsWith("end")) conn.end();
            else conn.close();
        };
        try (var loops = kind.start(1);
                var server = switch (style) {
                    case "returned session" ->
                        Tcp.serve(limits.loops(loops).watermarks(16 << 20, 32 << 20), conn -> {
                            conn.read();
                            conn.output().write(much, 0, much.length);
                        });
                    case "close on a worker" -> Tcp.listen(limits.loops(loops).dispatch(Dispatch.pool(1)), closing);
                    default -> Tcp.listen(limits.loops(loops), closing);
                };
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("x");
            if (peerEnds) peer.end();
            until(() -> CoreGuards.CLOSE_TIMEOUT.count() > acted && server.connections() == 0);
            peer.assertReset();
        }
    }

    static Stream<Arguments> closings() {
        return Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of("close", "end", "close on a worker", "returned session")
                        .flatMap(style -> Stream.of(true, false).map(ends -> Arguments.of(kind, style, ends))));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_closing_client_has_a_deadline(Loops kind) throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var loops = kind.start(1)) {
            silent.setReceiveBufferSize(64 << 10);
            var to = Connect.to(silent.getLocalSocketAddress()).loops(loops).watermarks(16 << 20, 32 << 20);
            var conn = Tcp.connect(to.closeTimeout(SHORT));
            try (var peer = silent.accept()) {
                conn.output().write(new byte[16 << 20], 0, 16 << 20);
                conn.close();
                until(() -> loops.counters().getFirst().connections() == 0);
                assertTrue(peer.isConnected());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_is_told_that_its_peer_timed_out(Loops kind) throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        Session reader = conn -> {
            try {
                conn.read();
            } catch (IOException e) {
                thrown.complete(e);
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).readTimeout(SHORT), reader);
                var peer = RawPeer.of(server)) {
            assertInstanceOf(TimedOut.class, thrown.get());
            peer.assertReset();
        }
    }

    /// The loop sleeps between two bytes, so the time it knows is old when the next one comes.
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void a_peer_that_sends_now_and_then_is_not_idle(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).idleTimeout(Duration.ofSeconds(2)), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            for (int i = 0; i < 3; i++) {
                passes(Duration.ofMillis(1300));
                peer.send("x");
                assertEquals("x", heard.calls.take());
            }
            assertTrue(!heard.closed.isDone());
        }
    }

    @ParameterizedTest
    @EnumSource
    void when_idle_is_called_again_and_again(Loops kind) throws Exception {
        var calls = new CountDownLatch(3);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).whenIdle(SHORT, conn -> calls.countDown()), Heard::new);
                var peer = RawPeer.of(server)) {
            calls.await();
            peer.end().assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_heartbeat_may_be_sent_when_idle(Loops kind) throws Exception {
        var listen = Listen.on(TcpTest.loopback())
                .whenIdle(SHORT, conn -> conn.output().writeUtf8("ping"));
        try (var loops = kind.start(1);
                var server = Tcp.listen(listen.loops(loops), Heard::new);
                var peer = RawPeer.of(server)) {
            peer.assertReads("pingpingping");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_heartbeat_that_throws_closes_its_connection(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        HandlerFactory echo = conn -> in -> conn.output().move(in);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).whenIdle(SHORT, TimeoutTest::refuse), handlers);
                var other = Tcp.listen(local(loops), echo);
                var good = RawPeer.of(other);
                var bad = RawPeer.of(server)) {
            bad.assertReset();
            assertTrue(handlers.next().closed.get().contains("as told"));
            good.send("x").assertReads("x");
        }
    }

    private static void refuse(Connection conn) {
        throw new IllegalStateException("as told");
    }

    @ParameterizedTest
    @EnumSource
    void nothing_is_called_after_a_connection_timed_out(Loops kind) throws Exception {
        var order = new LinkedBlockingQueue<String>();
        HandlerFactory noting = conn -> new Heard(conn) {
            @Override
            public void onClose(@Nullable IOException cause) {
                order.add("close");
            }
        };
        var listen = Listen.on(TcpTest.loopback()).idleTimeout(SHORT).whenIdle(SHORT, conn -> order.add("idle"));
        try (var loops = kind.start(1);
                var server = Tcp.listen(listen.loops(loops), noting);
                var peer = RawPeer.of(server)) {
            peer.assertReset();
            until(() -> order.contains("close"));
            Eventually.turns(loops, 2);
            assertEquals("close", order.stream().reduce((_, last) -> last).orElseThrow());
        }
    }

    /// A connection that has closed waits for its peer's end, and that is no failure.
    @ParameterizedTest
    @EnumSource
    void a_closed_connection_does_not_time_out(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                conn.output().move(in);
                conn.close();
            }
        });
        var listen = Listen.on(TcpTest.loopback()).idleTimeout(SHORT).readTimeout(SHORT);
        try (var loops = kind.start(1);
                var server = Tcp.listen(listen.loops(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            peer.assertEnd();
            assertEquals("null", handlers.next().closed.get());
        }
    }

    private static void passes(Duration time) throws Exception {
        new CompletableFuture<>()
                .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS)
                .get();
    }
}
