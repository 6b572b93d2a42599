package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Messages;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What user code does on a loop to servers, to other loops and to itself must not stop a loop.
@Tag("shipping")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FromHandlersTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 10);

    /// Both tell the other loop, which waits for them.
    @ParameterizedTest
    @EnumSource
    void handlers_on_two_loops_may_close_their_server_at_the_same_time(Loops kind) throws Exception {
        var closing = new AtomicReference<Server>();
        var together = new CyclicBarrier(2);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                meet(together);
                closing.get().close();
            }
        });
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), handlers);
                var one = RawPeer.of(server);
                var other = RawPeer.of(server)) {
            closing.set(server);
            var heard = List.of(handlers.next(), handlers.next());
            assertNotEquals(heard.getFirst().conn.loop(), heard.getLast().conn.loop());
            one.send("stop");
            other.send("stop");
            for (var each : heard) each.closed.get();
            server.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_drain_on_a_loop_is_refused_because_it_would_wait_for_itself(Loops kind) throws Exception {
        var draining = new AtomicReference<Server>();
        var refusal = new CompletableFuture<String>();
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                try {
                    draining.get().drain(Duration.ofMillis(100));
                    refusal.complete("drained");
                } catch (IllegalStateException e) {
                    refusal.complete(String.valueOf(e.getMessage()));
                }
                super.onInput(in);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            draining.set(server);
            peer.send("stop");
            assertTrue(refusal.get().contains("loop.blocking(…)"), refusal.get());
            peer.end().assertEnd();
            assertEquals("null", handlers.next().closed.get());
        }
    }

    /// A peer's address may be asked for by any thread, so by another loop's, too.
    @ParameterizedTest
    @EnumSource
    void handlers_on_two_loops_may_ask_for_each_others_peer(Loops kind) throws Exception {
        var together = new CyclicBarrier(2);
        Set<Messages<String>> peers = ConcurrentHashMap.newKeySet();
        var addresses = new LinkedBlockingQueue<SocketAddress>();
        var factory = Messages.over(FRAMES, Codec.utf8(), peer -> {
            peers.add(peer);
            return text -> {
                meet(together);
                for (var each : peers) if (!each.equals(peer)) addresses.add(each.remote());
                peer.send(text);
            };
        });
        try (var loops = MessagesTest.start(kind, 2);
                var server = Tcp.listen(loops.listen(), factory);
                var one = RawPeer.of(server);
                var other = RawPeer.of(server)) {
            until(() -> peers.size() == 2);
            one.send("\0\0\0\4who?");
            other.send("\0\0\0\4who?");
            one.assertReads("\0\0\0\4who?");
            other.assertReads("\0\0\0\4who?");
            assertEquals(2, addresses.size());
        }
    }

    /// Each loop is busy with its own handler while the other one asks: what would wait for it would wait for ever.
    @ParameterizedTest
    @EnumSource
    void handlers_on_two_loops_may_print_each_others_connection(Loops kind) throws Exception {
        var said = onTwoLoopsAtOnce(kind, other -> other + " " + other.remote() + " " + other.local());
        for (var answer : said) assertTrue(answer.matches("[A-Z]+ connection to 127.+ /127.+ /127.+"), answer);
    }

    @ParameterizedTest
    @EnumSource
    void an_option_of_another_loops_connection_is_refused_on_a_loop(Loops kind) throws Exception {
        var said = onTwoLoopsAtOnce(kind, other -> "" + other.options().get(StandardSocketOptions.TCP_NODELAY));
        for (var answer : said) assertTrue(answer.contains("conn.loop().execute"), answer);
    }

    @ParameterizedTest
    @EnumSource
    void addresses_are_known_after_the_connection_has_closed(Loops kind) throws Exception {
        var handlers = new Handlers<>(Heard::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers)) {
            String expected;
            try (var peer = RawPeer.of(server)) {
                expected = peer.socket().getLocalSocketAddress() + " " + "/127.0.0.1:" + server.port();
            }
            var heard = handlers.next();
            heard.closed.get();
            assertEquals(expected, heard.conn.remote() + " " + heard.conn.local());
        }
    }

    /// What the handlers of two connections, one on each loop, say of each other's, both at the same time.
    private static List<String> onTwoLoopsAtOnce(Loops kind, Function<Connection, String> question) throws Exception {
        var together = new CyclicBarrier(2);
        var answers = new LinkedBlockingQueue<String>();
        var all = new CompletableFuture<List<Heard>>();
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                super.onInput(in);
                meet(together);
                for (var each : all.join()) if (!each.conn.equals(conn)) answers.add(answer(question, each.conn));
                conn.close();
            }
        });
        try (var loops = kind.start(2);
                var server = Tcp.listen(local(loops), handlers);
                var one = RawPeer.of(server);
                var other = RawPeer.of(server)) {
            all.complete(List.of(handlers.next(), handlers.next()));
            one.send("who?");
            other.send("who?");
            one.assertEnd();
            other.assertEnd();
        }
        assertEquals(2, answers.size());
        return List.copyOf(answers);
    }

    private static String answer(Function<Connection, String> question, Connection of) {
        try {
            return question.apply(of);
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /// It is a mistake, but of one connection.
    @ParameterizedTest
    @EnumSource
    void a_session_that_does_not_believe_that_it_is_over_does_not_stop_its_loop(Loops kind) throws Exception {
        var stop = new AtomicBoolean();
        var failed = new CompletableFuture<String>();
        Session stubborn = conn -> {
            while (!stop.get()) {
                try {
                    conn.read();
                } catch (IOException e) {
                    failed.complete("failed");
                }
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), stubborn);
                var echo = Tcp.listen(local(loops), ECHO);
                var other = RawPeer.of(echo);
                var peer = RawPeer.of(server)) {
            other.send("before").assertReads("before");
            try {
                peer.reset();
                failed.get();
                other.send("after").assertReads("after");
            } finally {
                stop.set(true);
            }
        }
    }

    /// It writes to the other side's output, which belongs to that one's loop.
    @ParameterizedTest
    @EnumSource
    void a_tunnel_that_is_to_run_on_workers_is_refused(Loops kind) {
        try (var loops = kind.start(1)) {
            var listen = local(loops).dispatch(Dispatch.pool(2));
            var tunnel = Tunnel.to(TcpTest.loopback());
            var refusal = assertThrows(IllegalArgumentException.class, () -> Tcp.listen(listen, tunnel));
            assertTrue(refusal.toString().contains("Listen.dispatch"), refusal.toString());
        }
    }

    /// What would wait for another loop, or a peer, stops all connections of this one meanwhile.
    @ParameterizedTest
    @EnumSource
    void a_handler_on_a_loop_that_would_wait_is_told_at_once(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var others = kind.start(1);
                var echo = Tcp.listen(local(others), ECHO);
                var direct = Tcp.connect(Connect.to(echo.address()).loops(others))) {
            HandlerFactory waiting = conn -> in -> {
                in.skip(in.remaining());
                var to = Connect.to(echo.address()).loops(others);
                conn.output().writeUtf8(refusal(() -> Tcp.connect(to)));
                conn.output().writeUtf8(refusal(direct::read));
                conn.output().writeUtf8(refusal(direct::flush));
                conn.output().writeUtf8(refusal(() -> echo.drain(Duration.ofSeconds(10))));
                conn.output().writeUtf8(refusal(echo::await));
                conn.output().writeUtf8(".");
            };
            try (var server = Tcp.listen(local(loops), waiting);
                    var peer = RawPeer.of(server)) {
                peer.send("x").assertReads("told told told told told .");
            }
            // On a virtual thread the same may wait, whoever carries it.
            try (var server = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), conn -> in -> {
                        try (var own = Tcp.connect(Connect.to(echo.address()).loops(others))) {
                            own.output().move(in);
                            while (own.input().remaining() < 4 && own.read()) {}
                            conn.output().move(own.input());
                        }
                    });
                    var peer = RawPeer.of(server)) {
                peer.send("ping").assertReads("ping");
            }
        }
    }

    private static String refusal(Executable waiting) {
        var refused = assertThrows(IllegalStateException.class, waiting);
        return refused.toString().contains("loop.blocking(…)") ? "told " : refused + " ";
    }

    private static void meet(CyclicBarrier others) {
        try {
            others.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
