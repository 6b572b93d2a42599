package io.millrace;

import static io.millrace.ClosingTest.onLoop;
import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Reset;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Values from any thread, and what became of them.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteTest {
    private static final int THREADS = 4;
    private static final int EACH = 500;

    @ParameterizedTest
    @MethodSource("io.millrace.DispatchTest#everywhere")
    void values_of_each_thread_arrive_whole_and_in_order(Loops kind, Dispatch dispatch) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                for (int i = 0; i < EACH; i++) conn.write(line(THREADS, i));
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("go");
            var heard = handlers.next();
            assertAllArrive(peer, heard.conn::write);
        }
    }

    @ParameterizedTest
    @EnumSource
    void other_threads_may_write_to_the_connection_of_a_session(Loops kind) throws Exception {
        var opened = new CompletableFuture<BlockingConnection>();
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), conn -> {
                    opened.complete(conn);
                    for (int i = 0; i < EACH; i++) {
                        conn.output().write(line(THREADS, i));
                        if (i % 10 == 0) conn.flush();
                    }
                    while (conn.read()) conn.input().skip(conn.input().remaining());
                });
                var peer = RawPeer.of(server)) {
            assertAllArrive(peer, opened.get()::write);
        }
    }

    /// The loop appends it in the session's place, and must not wait for room as the session would.
    @ParameterizedTest
    @EnumSource
    void a_large_value_for_a_session_whose_peer_does_not_read_stops_nobody(Loops kind) throws Exception {
        var opened = new CompletableFuture<BlockingConnection>();
        var large = new byte[4 << 20];
        for (int i = 0; i < large.length; i++) large[i] = (byte) (i * 31);
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), conn -> {
                    opened.complete(conn);
                    while (conn.read()) conn.output().move(conn.input());
                });
                var slow = RawPeer.withSmallWindow(server)) {
            slow.send("x").assertReads("x");
            assertTrue(opened.get().write(Bytes.of(large)));
            assertTrue(opened.get().write(Bytes.utf8("!")));
            try (var other = RawPeer.of(server)) {
                other.send("y").assertReads("y");
            }
            assertArrayEquals(large, slow.socket().getInputStream().readNBytes(large.length));
            slow.assertReads("!");
            slow.send("z").assertReads("z");
            slow.end().assertEnd();
        }
    }

    private static Bytes line(int thread, int number) {
        // Now and then a long one, which is referred to and not copied.
        return Bytes.utf8(thread + " " + number + " " + "x".repeat(number % 100 == 0 ? 3000 : 10) + "\n");
    }

    private static void assertAllArrive(RawPeer peer, Predicate<Bytes> write) throws Exception {
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Thread.ofPlatform().start(() -> {
                for (int number = 0; number < EACH; number++) assertTrue(write.test(line(thread, number)));
            });
        }
        var next = new int[THREADS + 1];
        var in = new BufferedReader(new InputStreamReader(peer.socket().getInputStream(), UTF_8));
        for (int i = 0; i < (THREADS + 1) * EACH; i++) {
            var words = in.readLine().split(" ", -1);
            int number = next[Integer.parseInt(words[0])]++;
            assertEquals(number, Integer.parseInt(words[1]), "of thread " + words[0]);
            assertEquals(number % 100 == 0 ? 3000 : 10, words[2].length());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_its_own_thread_writes_keeps_its_place(Loops kind) throws Exception {
        HandlerFactory letters = conn -> in -> {
            in.skip(in.remaining());
            conn.output().writeUtf8("a");
            assertTrue(conn.write(Bytes.utf8("b")));
            conn.output().writeUtf8("c");
        };
        try (var loops = kind.start(1);
                var called = Tcp.listen(local(loops), letters);
                var pooled = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), letters);
                var carried = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), letters);
                var direct = Tcp.serve(local(loops), conn -> {
                    assertTrue(conn.write(Bytes.utf8("a")));
                    conn.output().writeUtf8("b");
                    assertTrue(conn.write(Bytes.utf8("c")));
                    conn.read();
                })) {
            for (var server : new Server[] {called, pooled, carried, direct}) {
                try (var peer = RawPeer.of(server)) {
                    peer.send("go").assertReads("abc");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothing_is_taken_after_the_end(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            assertTrue(heard.conn.write(Bytes.utf8("last words")));
            heard.conn.close();
            assertFalse(heard.conn.write(Bytes.utf8("too late")));
            assertEquals("last words", new String(peer.readAll(), UTF_8));
            peer.end();
            heard.closed.get();
            assertFalse(heard.conn.write(Bytes.utf8("far too late")));
            assertInstanceOf(Reset.class, failure(heard.conn.written().toCompletableFuture()));
        }
    }

    /// One-byte values count as what they take.
    @ParameterizedTest
    @EnumSource
    void who_writes_more_than_the_limit_loses_the_connection(Loops kind) throws Exception {
        long acted = CoreGuards.OUTPUT_UNSENT.count();
        var isBusy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                isBusy.countDown();
                Uninterrupted.await(goOn);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)).outputLimit(1 << 20), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            isBusy.await();
            var conn = handlers.next();
            int written = 0;
            try {
                var one = Bytes.utf8("1");
                while (conn.conn.write(one)) written++;
            } finally {
                goOn.countDown();
            }
            assertEquals((1 << 20) / 145, written);
            assertTrue(conn.closed.get().startsWith("Overloaded"));
            assertEquals(acted + 1, CoreGuards.OUTPUT_UNSENT.count());
            peer.assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_written_is_known_to_have_left(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var conn = handlers.next().conn;
            conn.written().toCompletableFuture().get();
            conn.write(Bytes.copyOf(java.lang.foreign.MemorySegment.ofArray(new byte[16 << 20])));
            var written = conn.written().toCompletableFuture();
            WatermarkTest.untilStill(loops);
            assertFalse(written.isDone());
            assertEquals(16 << 20, peer.socket().getInputStream().readNBytes(16 << 20).length);
            written.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoever_waits_for_a_write_hears_that_the_connection_was_lost(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        var much = new byte[16 << 20];
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var heard = handlers.next();
            var waiting = new ArrayList<CompletableFuture<?>>();
            onLoop(heard, () -> {
                heard.conn.output().write(much, 0, much.length);
                waiting.add(heard.conn.written().toCompletableFuture());
            });
            waiting.add(heard.conn.written().toCompletableFuture());
            WatermarkTest.untilStill(loops);
            peer.reset();
            for (var future : waiting) assertInstanceOf(Reset.class, failure(future));
            onLoop(heard, () -> waiting.add(heard.conn.written().toCompletableFuture()));
            assertInstanceOf(Reset.class, failure(waiting.getLast()));
        }
    }

    /// The handler's call has the output, and what others write waits for its end.
    @ParameterizedTest
    @EnumSource
    void whoever_waits_behind_a_call_of_the_handler_hears_of_the_end_too(Loops kind) throws Exception {
        var isBusy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                isBusy.countDown();
                Uninterrupted.await(goOn);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            isBusy.await();
            var conn = handlers.next().conn;
            assertTrue(conn.write(Bytes.utf8("never")));
            var written = conn.written().toCompletableFuture();
            conn.abort();
            assertInstanceOf(Reset.class, failure(written));
            goOn.countDown();
            until(() -> server.connections() == 0);
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<?> future) {
        return assertThrows(ExecutionException.class, future::get).getCause();
    }
}
