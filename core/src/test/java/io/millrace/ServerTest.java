package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Reset;
import io.millrace.net.Session;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How many connections a server has, and how it and its loops stop.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("try") // closing is what is tested here
class ServerTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    @ParameterizedTest
    @EnumSource
    void connections_beyond_the_limit_wait_until_there_is_a_place(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).maxConnections(2), ECHO)) {
            assertServedTwoAtATime(server);
        }
    }

    @ParameterizedTest
    @EnumSource
    void connections_beyond_the_limit_wait_also_with_a_listener_on_each_loop(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops).maxConnections(2).reusePort(true), ECHO)) {
            assertServedTwoAtATime(server);
        }
    }

    private static void assertServedTwoAtATime(Server server) throws IOException {
        var peers = new ArrayList<RawPeer>();
        for (int i = 0; i < 12; i++) peers.add(RawPeer.of(server).send("x"));
        while (!peers.isEmpty()) {
            // Any two of them are served; whoever gets its answer makes room for another.
            var served = firstAnswered(peers);
            assertTrue(server.connections() <= 2, "connections: " + server.connections());
            served.assertReads("x");
            served.end().assertEnd();
            served.close();
            peers.remove(served);
        }
    }

    private static RawPeer firstAnswered(List<RawPeer> peers) throws IOException {
        while (true) {
            for (var peer : peers) {
                if (peer.socket().getInputStream().available() > 0) return peer;
            }
            Waiting.briefly();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_is_full_closes_with_connections_waiting(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops).maxConnections(1).reusePort(true), ECHO);
                var first = RawPeer.of(server).send("x")) {
            first.assertReads("x");
            var waiting = new ArrayList<RawPeer>();
            for (int i = 0; i < 10; i++) waiting.add(RawPeer.of(server));
            server.close();
            for (var peer : waiting) {
                peer.assertGone();
                peer.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_in_flight_is_finished_by_a_drain(Loops kind) throws Exception {
        var answer = new byte[4 << 20];
        var asked = new CountDownLatch(1);
        HandlerFactory slow = conn -> in -> {
            in.skip(in.remaining());
            conn.output().write(answer, 0, answer.length);
            asked.countDown();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), slow);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("x");
            asked.await();
            var drained = CompletableFuture.supplyAsync(() -> server.drain(PATIENCE));
            assertEquals(answer.length, peer.readAll().length);
            peer.close();
            assertTrue(drained.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void sessions_see_the_end_of_input_when_the_server_drains(Loops kind) throws Exception {
        Session count = conn -> {
            long sum = 0;
            while (conn.read()) {
                sum += conn.input().remaining();
                conn.input().skip(conn.input().remaining());
            }
            conn.output().writeUtf8(sum + " bytes");
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), count);
                var peer = RawPeer.of(server)) {
            peer.send("12345");
            until(() -> loops.counters().getFirst().bytesReceived() == 5);
            var drained = CompletableFuture.supplyAsync(() -> server.drain(PATIENCE));
            peer.assertReads("5 bytes");
            peer.assertEnd();
            peer.close();
            assertTrue(drained.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_drain_tells_each_handler_once(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), handlers);
                var one = RawPeer.of(server);
                var two = RawPeer.of(server)) {
            var first = handlers.next();
            var second = handlers.next();
            assertTrue(server.drain(PATIENCE));
            one.assertEnd();
            two.assertEnd();
            assertEquals(List.of("drain", "close"), first.callsSoFar());
            assertEquals(List.of("drain", "close"), second.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_has_not_ended_at_the_deadline_of_a_drain_is_dropped(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onDrain(Connection draining) {
                calls.add("drain");
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            assertFalse(server.drain(Duration.ofMillis(20)));
            peer.assertReset();
            assertTrue(heard.closed.get().startsWith("Reset"));
            assertEquals(List.of("drain", "close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_drains_takes_no_new_connections(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            assertTrue(server.drain(PATIENCE));
            assertThrows(IOException.class, () -> RawPeer.of(server));
            server.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closing_a_server_drops_its_connections_and_no_others(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var other = Tcp.listen(local(loops), ECHO);
                var dropped = RawPeer.of(server);
                var kept = RawPeer.of(other)) {
            var heard = handlers.next();
            server.close();
            dropped.assertReset();
            assertTrue(heard.closed.get().startsWith("Reset"));
            assertEquals(0, server.connections());
            kept.send("x").assertReads("x");
            server.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_outlives_its_loops_without_harm(Loops kind) throws Exception {
        var loops = kind.start(1);
        try (var server = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            loops.close();
            peer.assertReset();
            assertTrue(server.drain(PATIENCE));
        }
    }

    @ParameterizedTest
    @EnumSource
    void closing_loops_ends_every_connection_and_session(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        var parked = new CompletableFuture<Throwable>();
        var sleeping = new CompletableFuture<Throwable>();
        var began = new CountDownLatch(2);
        var loops = kind.start(2);
        try (var listening = Tcp.listen(local(loops), handlers);
                var reading = Tcp.serve(local(loops), conn -> failsWith(parked, began, conn::read));
                var busy = Tcp.serve(
                        local(loops), conn -> failsWith(sleeping, began, () -> new CountDownLatch(1).await()));
                var one = RawPeer.of(listening);
                var two = RawPeer.of(reading);
                var three = RawPeer.of(busy)) {
            var heard = handlers.next();
            began.await();
            loops.close();
            assertTrue(heard.closed.get().startsWith("Reset: the event loop"), heard.closed.get());
            assertInstanceOf(Reset.class, parked.get());
            assertInstanceOf(InterruptedException.class, sleeping.get());
            one.assertReset();
            two.assertReset();
            three.assertReset();
        }
    }

    private interface Wait {
        void begin() throws Exception;
    }

    private static void failsWith(CompletableFuture<Throwable> failure, CountDownLatch began, Wait wait) {
        began.countDown();
        try {
            wait.begin();
        } catch (Exception e) {
            failure.complete(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closing_loops_ends_clients_that_connect_and_that_read(Loops kind) throws Exception {
        var reading = new CountDownLatch(1);
        var loops = kind.start(1);
        try (var others = kind.start(1);
                var server = Tcp.listen(local(others), ECHO)) {
            var read = CompletableFuture.supplyAsync(
                    () -> readFails(Connect.to(server.address()).loops(loops), reading));
            reading.await();
            var connecting = new ArrayList<CompletableFuture<Throwable>>();
            for (int i = 0; i < 20; i++) {
                connecting.add(CompletableFuture.supplyAsync(
                        () -> readFails(Connect.to(server.address()).loops(loops), reading)));
            }
            loops.close();
            assertInstanceOf(Reset.class, read.get());
            for (var attempt : connecting) attempt.get();
            until(() -> server.connections() == 0);
        }
    }

    private static Throwable readFails(Connect to, CountDownLatch reading) {
        try (var conn = Tcp.connect(to)) {
            reading.countDown();
            conn.read();
            return new AssertionError("read, from a peer that sends nothing");
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    /// In whatever order servers, connections and loops close at the same time, nobody waits for ever.
    @ParameterizedTest
    @EnumSource
    void servers_and_loops_may_close_at_the_same_time(Loops kind) throws Exception {
        for (int i = 0; i < 20; i++) {
            var loops = kind.start(2);
            var server = Tcp.serve(local(loops), conn -> conn.read());
            var peer = RawPeer.of(server).send("x");
            var closing = CompletableFuture.runAsync(server::close);
            loops.close();
            closing.get();
            peer.close();
        }
    }

    @Test
    void a_server_of_its_own_loops_stops_them() throws Exception {
        var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var loop = new CompletableFuture<Thread>();
        HandlerFactory factory = conn -> {
            loop.complete(Thread.currentThread());
            return ECHO.open(conn);
        };
        var server = Tcp.listen(Listen.on(at), factory);
        try (var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            server.close();
            loop.get().join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_counters_add_up(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 5; i++) {
                try (var peer = RawPeer.of(server)) {
                    peer.send("hello").assertReads("hello");
                    if (i == 0) peer.reset();
                    else peer.end().assertEnd();
                }
            }
            until(() -> server.connections() == 0);
            var counters = loops.counters().getFirst();
            assertEquals(
                    List.of(5L, 5L, 1L, 0L, 25L, 25L),
                    List.of(
                            counters.accepted(),
                            counters.closed(),
                            counters.failed(),
                            counters.connections(),
                            counters.bytesReceived(),
                            counters.bytesSent()));
            assertEquals(0, counters.slabBytesInUse());
        }
    }
}
