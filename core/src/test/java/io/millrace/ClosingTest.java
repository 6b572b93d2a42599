package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How connections end in callback style; closing the loops asserts that all slabs came home.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosingTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @ParameterizedTest
    @EnumSource
    void an_orderly_end_closes_without_a_cause(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("hello").end();
            var heard = handlers.next();
            assertEquals("null", heard.closed.get());
            assertEquals(List.of("hello", "end", "close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_closes_with_its_cause(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.send("hello");
            assertEquals("hello", heard.calls.take());
            peer.reset();
            assertTrue(heard.closed.get().startsWith("Reset: "), heard.closed.get());
            assertEquals(List.of("close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_end_is_told_once_however_often_the_handler_asks_for_it(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                conn.close();
                conn.abort();
                conn.abort();
                conn.close();
                conn.end();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReset();
            var heard = handlers.next();
            heard.closed.get();
            onLoop(heard, () -> heard.conn.close());
            assertEquals(List.of("close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_throws_loses_its_own_connection_only(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                if (in.readByte() == '!') throw new IllegalStateException("as told");
                conn.output().writeByte('.');
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var good = RawPeer.of(server);
                var bad = RawPeer.of(server)) {
            var ignored = handlers.next();
            var throwing = handlers.next();
            bad.send("!").assertReset();
            assertTrue(throwing.closed.get().contains("as told"), throwing.closed.get());
            good.send("?").assertReads(".");
            assertEquals(List.of(), ignored.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_factory_that_throws_loses_its_own_connection_only(Loops kind) throws Exception {
        var first = new CompletableFuture<String>();
        HandlerFactory once = conn -> {
            if (first.complete("told")) throw new IllegalStateException("as told");
            return ECHO.open(conn);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), once);
                var bad = RawPeer.of(server)) {
            bad.assertReset();
            try (var good = RawPeer.of(server)) {
                good.send("?").assertReads("?");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_handler_throws_at_the_end_is_lost_with_the_connection(Loops kind) throws Exception {
        HandlerFactory throwing = conn -> new Heard(conn) {
            @Override
            public void onClose(@Nullable IOException cause) {
                throw new IllegalStateException("as told");
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), throwing);
                var peer = RawPeer.of(server)) {
            peer.end().assertEnd();
            until(() -> server.connections() == 0);
            try (var next = RawPeer.of(server)) {
                next.end().assertEnd();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_sends_everything_to_a_peer_that_reads_late(Loops kind) throws Exception {
        var answer = new byte[4 << 20];
        new Random(1).nextBytes(answer);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                super.onInput(in);
                conn.output().write(answer, 0, answer.length);
                conn.close();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("go");
            var heard = handlers.next();
            assertEquals("go", heard.calls.take());
            // Two turns later the connection is closing, and most of the answer waits for the peer.
            onLoop(heard, () -> {});
            onLoop(heard, () -> {});
            assertArrayEquals(answer, peer.readAll());
            assertEquals("null", heard.closed.get());
        }
    }

    /// Closing a socket with unread bytes would reset the connection, and the peer would lose our answer.
    @ParameterizedTest
    @EnumSource
    void close_sends_everything_to_a_peer_that_is_still_sending(Loops kind) throws Exception {
        var answer = new byte[1 << 20];
        new Random(2).nextBytes(answer);
        HandlerFactory once = conn -> in -> {
            in.skip(in.remaining());
            conn.output().write(answer, 0, answer.length);
            conn.close();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), once);
                var peer = RawPeer.of(server)) {
            var sender = peer.sendForEver();
            assertArrayEquals(answer, peer.socket().getInputStream().readNBytes(answer.length));
            peer.reset();
            sender.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void abort_resets_the_peer(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), conn -> in -> conn.abort());
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_written_to_a_closed_connection_takes_no_memory(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.reset();
            heard.closed.get();
            onLoop(heard, () -> heard.conn.output().writeUtf8("too late"));
            onLoop(heard, () -> {});
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_written_while_closing_resets_nobody(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                conn.output().move(in);
                conn.close();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("answer");
            var heard = handlers.next();
            peer.assertReads("answer");
            peer.assertEnd();
            // The connection lingers now, because this peer has not ended.
            onLoop(heard, () -> heard.conn.output().writeUtf8("too late"));
            peer.end().assertEnd();
            assertEquals("null", heard.closed.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_may_read_and_write_on_after_it_aborted(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                conn.abort();
                conn.output().writeUtf8("too late");
                assertEquals(0, in.remaining());
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReset();
            var heard = handlers.next();
            assertEquals("Reset: aborted by this side", heard.closed.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void both_addresses_are_known_also_after_the_end(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            var remote = peer.socket().getLocalSocketAddress();
            peer.end().assertEnd();
            heard.closed.get();
            onLoop(heard, () -> {
                assertEquals(remote, heard.conn.remote());
                assertEquals(server.address(), heard.conn.local());
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_closed_connection_takes_every_call_from_any_thread(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        var loops = kind.start(1);
        try (var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.end().assertEnd();
            heard.closed.get();
            callEverything(heard);
            loops.close();
            callEverything(heard);
            assertEquals(List.of("end", "close"), heard.callsSoFar());
        } finally {
            loops.close();
        }
    }

    private static void callEverything(Heard heard) {
        heard.conn.pause();
        heard.conn.resume();
        heard.conn.end();
        heard.conn.close();
        heard.conn.abort();
    }

    /// Does something on the connection's loop and waits for it; what it throws fails the test.
    static void onLoop(Heard heard, Runnable work) throws Exception {
        CompletableFuture.runAsync(work, heard.conn.loop()).get();
    }
}
