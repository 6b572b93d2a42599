package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Refused;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Clients of both styles: what becomes of an attempt, whatever goes wrong.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final InetAddress OTHER_LOOPBACK = InetAddress.ofLiteral("127.0.0.2");

    @ParameterizedTest
    @EnumSource
    void a_host_may_be_given_by_name(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 20; i++) {
                try (var conn =
                        Tcp.connect(Connect.to("localhost", server.port()).loops(loops))) {
                    conn.output().writeUtf8("hello");
                    assertTrue(conn.read());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_loop_is_not_made_to_wait_for_itself(Loops kind) throws Exception {
        var refusal = new CompletableFuture<Throwable>();
        try (var loops = kind.start(1)) {
            var loop = loops.next();
            var to = Connect.to("127.0.0.1", 1).loop(loop);
            loop.execute(() -> refusal.complete(assertThrows(IllegalStateException.class, () -> Tcp.connect(to))));
            assertTrue(refusal.get().toString().contains("connect with a handler"));
        }
    }

    /// NIO has no way to say so.
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "URING"})
    void the_kernel_takes_little_for_a_peer_that_takes_nothing(Loops kind) throws Exception {
        var much = new byte[16 << 20];
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var loops = kind.start(1)) {
            silent.setReceiveBufferSize(64 << 10);
            Tcp.connect(silent.getLocalSocketAddress(), loops, conn -> {
                conn.output().write(much, 0, much.length);
                return in -> in.skip(in.remaining());
            });
            try (var peer = silent.accept()) {
                assertTrue(peer.isConnected());
                until(() -> loops.counters().getFirst().slabBytesInUse() > 0);
                Eventually.untilStill("slabs", () -> loops.counters().getFirst().slabBytesInUse(), 200);
                long left = loops.counters().getFirst().slabBytesInUse();
                assertTrue(left > 15 << 20, "the kernel has taken all but " + left);
            }
        }
    }

    /// The server reads nothing of a peer that does not read, so this side must.
    @ParameterizedTest
    @EnumSource
    void a_client_that_says_much_at_once_gets_all_of_the_answer(Loops kind) throws Exception {
        var much = new byte[16 << 20];
        var heard = new CompletableFuture<Long>();
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), ECHO)) {
            Tcp.connect(server.address(), loops, conn -> {
                conn.output().write(much, 0, much.length);
                var received = new long[1];
                return in -> {
                    received[0] += in.remaining();
                    in.skip(in.remaining());
                    if (received[0] == much.length) heard.complete(received[0]);
                };
            });
            assertEquals(much.length, heard.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void this_side_has_the_address_it_was_given(Loops kind) throws Exception {
        var from = new InetSocketAddress(OTHER_LOOPBACK, 0);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var to = Connect.to(server.address()).loops(loops).from(from);
            try (var conn = Tcp.connect(to)) {
                assertEquals(OTHER_LOOPBACK, ((InetSocketAddress) conn.local()).getAddress());
                conn.output().writeUtf8("hello");
                assertTrue(conn.read());
            }
            int port = Machine.freePort(OTHER_LOOPBACK);
            try (var conn = Tcp.connect(to.from(new InetSocketAddress(OTHER_LOOPBACK, port)))) {
                assertEquals(new InetSocketAddress(OTHER_LOOPBACK, port), conn.local());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_address_that_this_machine_does_not_have_is_named(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var from = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 0);
            var to = Connect.to(server.address()).loops(loops).from(from);
            var failure = assertThrows(IOException.class, () -> Tcp.connect(to));
            assertTrue(failure.toString().contains("192.0.2.1"), failure.toString());
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    @ParameterizedTest
    @EnumSource
    void of_a_host_only_addresses_of_this_sides_family_are_tried(Loops kind) throws Exception {
        var six = InetAddress.ofLiteral("::1");
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var to = Connect.to("somebody", server.port())
                    .resolver(_ -> List.of(six, InetAddress.getLoopbackAddress()))
                    .from(new InetSocketAddress(OTHER_LOOPBACK, 0))
                    .loops(loops);
            try (var conn = Tcp.connect(to)) {
                assertEquals(server.address(), conn.remote());
            }
            var alone = to.resolver(_ -> List.of(six));
            var refused = assertThrows(Refused.class, () -> Tcp.connect(alone));
            assertTrue(refused.toString().contains("family"), refused.toString());
        }
        var named = InetSocketAddress.createUnresolved("localhost", 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> Connect.to(TcpTest.loopback()).from(named));
    }

    @ParameterizedTest
    @EnumSource
    void a_host_that_nobody_knows_is_named(Loops kind) {
        try (var loops = kind.start(1)) {
            var to = Connect.to("no-such-host.invalid", 80).loops(loops);
            var refused = assertThrows(Refused.class, () -> Tcp.connect(to));
            assertTrue(refused.toString().contains("no-such-host.invalid"), refused.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_does_not_answer_times_out(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var silent = new Silent()) {
            var to = Connect.to(silent.address()).loops(loops).timeout(Duration.ofMillis(100));
            var timedOut = assertThrows(TimedOut.class, () -> Tcp.connect(to));
            assertTrue(timedOut.toString().contains("within 100 ms (timeout.connect)"), timedOut.toString());
            assertEquals(0, loops.counters().getFirst().connections());
        }
    }

    /// Takes no connection: its backlog is full, and the kernel answers nobody.
    record Silent(ServerSocket listener, ArrayList<Socket> waiting) implements AutoCloseable {
        Silent() throws IOException {
            this(InetAddress.getLoopbackAddress(), 0);
        }

        Silent(InetAddress address, int port) throws IOException {
            this(new ServerSocket(port, 1, address), new ArrayList<>());
            for (int i = 0; i < 3; i++) {
                var socket = SocketChannel.open();
                socket.configureBlocking(false);
                socket.connect(address());
                waiting.add(socket.socket());
            }
        }

        SocketAddress address() {
            return listener.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            for (var socket : waiting) socket.close();
            listener.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_host_whose_first_address_refuses_is_reached_at_another(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var conn = Tcp.connect(Connect.to("somebody", server.port())
                        .resolver(_ -> List.of(OTHER_LOOPBACK, InetAddress.getLoopbackAddress()))
                        .loops(loops))) {
            assertEquals(server.address(), conn.remote());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_address_that_is_silent_does_not_keep_the_host_from_being_reached(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var _ = new Silent(OTHER_LOOPBACK, server.port());
                var conn = Tcp.connect(Connect.to("somebody", server.port())
                        .resolver(_ -> List.of(OTHER_LOOPBACK, InetAddress.getLoopbackAddress()))
                        .loops(loops))) {
            assertEquals(server.address(), conn.remote());
            // This one and the server's: the silent one is gone.
            until(() -> loops.counters().getFirst().connections() == 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_host_that_refuses_everywhere_fails_with_every_reason(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var server = Tcp.listen(local(loops), ECHO);
            server.close();
            var to = Connect.to("somebody", server.port())
                    .resolver(_ -> List.of(InetAddress.getLoopbackAddress(), OTHER_LOOPBACK))
                    .loops(loops);
            var refused = assertThrows(Refused.class, () -> Tcp.connect(to));
            assertTrue(refused.toString().contains("127.0.0.1"), refused.toString());
            assertTrue(refused.getSuppressed()[0].toString().contains("127.0.0.2"), refused.toString());
            assertEquals(0, loops.counters().getFirst().connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_host_without_addresses_is_unknown(Loops kind) {
        try (var loops = kind.start(1)) {
            var to = Connect.to("nowhere", 80).resolver(_ -> List.of()).loops(loops);
            var refused = assertThrows(Refused.class, () -> Tcp.connect(to));
            assertTrue(refused.toString().contains("nowhere"), refused.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_timeout_is_none(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var conn = Tcp.connect(Connect.to(server.address()).loops(loops).timeout(Duration.ZERO))) {
            conn.output().writeUtf8("hello");
            assertTrue(conn.read());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_leaves_no_timer_behind(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 100; i++) {
                Tcp.connect(Connect.to(server.address()).loops(loops)).abort();
            }
            until(() -> loops.counters().getFirst().connections() == 0);
            until(() -> loops.counters().getFirst().timers() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_attempt_whose_factory_throws_fails(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            HandlerFactory throwing = conn -> {
                throw new IllegalStateException("as told");
            };
            var attempt = Tcp.connect(server.address(), loops, throwing).toCompletableFuture();
            var failure = assertThrows(ExecutionException.class, attempt::get);
            assertTrue(failure.toString().contains("as told"), failure.toString());
            until(() -> server.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_attempt_whose_stage_throws_fails_and_leaves_no_memory(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var to = Connect.to(server.address()).loops(loops).through(Broken::new);
            var failure = assertThrows(IOException.class, () -> Tcp.connect(to));
            assertTrue(failure.toString().contains("as told"), failure.toString());
            until(() -> server.connections() == 0);
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    /// Says something, and throws.
    private record Broken(Stage.Context context) implements Stage.Link {
        @Override
        public void open(Output wire) throws IOException {
            wire.writeUtf8("hello?");
            throw new IOException("as told");
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_option_that_the_transport_does_not_know_fails_the_attempt(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            var to = Connect.to(server.address()).loops(loops).option(StandardSocketOptions.IP_MULTICAST_TTL, 3);
            var failure = assertThrows(IOException.class, () -> Tcp.connect(to));
            assertTrue(failure.toString().contains("IP_MULTICAST_TTL"), failure.toString());
            var conn = Tcp.connect(Connect.to(server.address()).loops(loops));
            conn.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_refused_attempt_in_callback_style_fails_with_a_sentence(Loops kind) throws Exception {
        try (var loops = kind.start(1)) {
            var server = Tcp.listen(local(loops), ECHO);
            var address = server.address();
            server.close();
            var attempt = Tcp.connect(address, loops, ECHO).toCompletableFuture();
            var failure = assertThrows(ExecutionException.class, attempt::get);
            assertInstanceOf(Refused.class, failure.getCause());
            assertTrue(failure.toString().contains(":" + ((InetSocketAddress) address).getPort()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_attempt_that_is_given_up_leaves_no_connection(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 50; i++) {
                CompletableFuture<Connection> attempt =
                        Tcp.connect(server.address(), loops, ECHO).toCompletableFuture();
                for (int spin = 0; spin < i * 100; spin++) Thread.onSpinWait();
                if (!attempt.cancel(false)) attempt.get().abort();
            }
            until(() -> loops.counters().getFirst().connections() == 0);
        }
    }
}
