package io.millrace;

import static io.millrace.ClosingTest.onLoop;
import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Back-pressure and the limits of what a connection may hold, in callback style.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatermarkTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @ParameterizedTest
    @EnumSource
    void a_peer_that_never_reads_stops_at_the_watermark_and_goes_on_when_it_reads(Loops kind) throws Exception {
        var sent = new byte[24 << 20];
        new Random(3).nextBytes(sent);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.withSmallWindow(server)) {
            var sender = Thread.ofVirtual().start(() -> sendAndEnd(peer, sent));
            untilStill(loops);
            assertTrue(
                    sender.isAlive(), "the server took all 24 MiB of a peer that reads nothing: " + loops.counters());
            assertAtMost(2 << 20, loops.counters().getFirst().slabBytesInUse());
            assertArrayEquals(sent, peer.readAll());
            sender.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_paused_connection_stops_its_peer_and_is_offered_the_rest_when_it_resumes(Loops kind) throws Exception {
        var sent = new byte[24 << 20];
        new Random(4).nextBytes(sent);
        var handlers = new Handlers<>(Pausing::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var sender = Thread.ofVirtual().start(() -> sendAndEnd(peer, sent));
            var pausing = handlers.next();
            untilStill(loops);
            assertTrue(sender.isAlive());
            assertEquals(1, pausing.inputs.get());
            pausing.conn.resume();
            assertArrayEquals(sent, peer.readAll());
            sender.join();
        }
    }

    /// Pauses at once and leaves everything unread; echoes from the second call on.
    private static final class Pausing extends Heard {
        private final AtomicInteger inputs = new AtomicInteger();

        Pausing(Connection conn) {
            super(conn);
        }

        @Override
        public void onInput(Input in) {
            if (inputs.incrementAndGet() == 1) conn.pause();
            else conn.output().move(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_was_left_unread_is_offered_again_on_resume_without_news(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                calls.add("" + in.remaining());
                if (calls.size() == 1) conn.pause();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("abc");
            var heard = handlers.next();
            until(() -> heard.calls.size() == 1);
            heard.conn.resume();
            until(() -> heard.calls.size() == 2);
            assertEquals(List.of("3", "3"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_writes_for_its_own_reasons_hears_when_there_is_room(Loops kind) throws Exception {
        var handlers = new Handlers<>(Source::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("go");
            var source = handlers.next();
            untilStill(loops);
            assertTrue(source.isFull);
            assertAtMost(2 << 20, loops.counters().getFirst().slabBytesInUse());
            assertEquals(Source.TOTAL, peer.readAll().length);
            assertEquals("null", source.closed.get());
        }
    }

    /// Writes while there is room.
    private static final class Source extends Heard {
        static final int TOTAL = 16 << 20;
        private static final byte[] PIECE = new byte[10_000];
        volatile boolean isFull;
        private int written;

        Source(Connection conn) {
            super(conn);
        }

        @Override
        public void onInput(Input in) {
            in.skip(in.remaining());
            onWritable();
        }

        @Override
        public void onWritable() {
            isFull = false;
            while (written < TOTAL && !conn.isFull()) {
                int length = Math.min(PIECE.length, TOTAL - written);
                conn.output().write(PIECE, 0, length);
                written += length;
            }
            isFull = conn.isFull();
            if (written == TOTAL) conn.close();
        }
    }

    /// A source with a peer that reads as fast as it is written to must leave the loop to others.
    @ParameterizedTest
    @EnumSource
    void a_connection_that_always_has_room_leaves_the_loop_to_the_others(Loops kind) throws Exception {
        HandlerFactory endless = conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                in.skip(in.remaining());
                onWritable();
            }

            @Override
            public void onWritable() {
                while (!conn.isFull()) conn.output().write(Source.PIECE, 0, Source.PIECE.length);
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), endless);
                var echo = Tcp.listen(local(loops), ECHO);
                var greedy = RawPeer.of(server);
                var modest = RawPeer.of(echo)) {
            greedy.send("go");
            var reader = Thread.ofPlatform().start(() -> readForEver(greedy));
            for (int i = 0; i < 100; i++) modest.send("x").assertReads("x");
            greedy.reset();
            reader.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void output_above_its_limit_kills_the_connection(Loops kind) throws Exception {
        var refusal = new CompletableFuture<String>();
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                try {
                    while (true) conn.output().write(Source.PIECE, 0, Source.PIECE.length);
                } catch (RuntimeException e) {
                    refusal.complete(e.getMessage());
                    throw e;
                }
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).outputLimit(1 << 20), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("go").assertReset();
            var cause = handlers.next().closed.get();
            assertEquals("Overloaded: " + refusal.get(), cause);
            assertTrue(cause.contains("1048576") && cause.contains("Listen.outputLimit"), cause);
        }
    }

    /// A broadcast writes outside of the connection's own handler.
    @ParameterizedTest
    @EnumSource
    void output_above_its_limit_kills_the_connection_whoever_writes(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).outputLimit(1 << 20), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            heard.conn.loop().execute(() -> {
                for (int i = 0; i < 1000; i++) heard.conn.output().write(Source.PIECE, 0, Source.PIECE.length);
            });
            assertTrue(heard.closed.get().startsWith("Overloaded: "), heard.closed.get());
            peer.assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_handler_that_leaves_too_much_unread_loses_its_connection(Loops kind) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {}
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).inputLimit(10_000), handlers);
                var peer = RawPeer.of(server)) {
            peer.send(new byte[10_001]).assertReset();
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("Overloaded: the handler left 10001 bytes unread, the limit is 10000"), cause);
        }
    }

    /// Small packets that nobody reads must not pin a large slab each.
    @ParameterizedTest
    @EnumSource
    void packets_that_wait_take_no_more_memory_than_four_times_their_bytes(Loops kind) throws Exception {
        HandlerFactory patient = conn -> in -> {
            if (in.remaining() < 512 << 10) return;
            conn.output().writeByte('.');
            in.skip(in.remaining());
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).inputLimit(1 << 20), patient);
                var peer = RawPeer.of(server)) {
            long arrived = 0;
            for (int i = 0; i < 200; i++) {
                peer.send(new byte[1500]);
                arrived += 1500;
                long received = arrived;
                until(() -> loops.counters().getFirst().bytesReceived() == received);
            }
            assertAtMost(4 * arrived, loops.counters().getFirst().slabBytesInUse());
            peer.send(new byte[512 << 10]).assertReads(".");
        }
    }

    @ParameterizedTest
    @EnumSource
    void write_completions_come_in_order_and_only_when_the_kernel_has_everything(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var heard = handlers.next();
            var sent = new CompletableFuture<String>();
            var order = new ArrayList<String>();
            onLoop(heard, () -> {
                heard.conn.whenSent(() -> order.add("nothing"));
                heard.conn.output().writeUtf8("a");
                heard.conn.whenSent(() -> order.add("a"));
                heard.conn.output().write(new byte[16 << 20], 0, 16 << 20);
                heard.conn.whenSent(() -> order.add("much"));
                heard.conn.whenSent(() -> sent.complete("sent"));
            });
            untilStill(loops);
            assertFalse(sent.isDone());
            var rest = CompletableFuture.supplyAsync(() -> readAll(peer));
            sent.get();
            assertEquals(List.of("nothing", "a", "much"), order);
            heard.conn.close();
            assertEquals(1 + (16 << 20), rest.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_write_completion_that_throws_loses_its_own_connection_only(Loops kind) throws Exception {
        HandlerFactory throwing = conn -> in -> {
            conn.output().move(in);
            conn.whenSent(() -> {
                throw new IllegalStateException("as told");
            });
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), throwing);
                var echo = Tcp.listen(local(loops), ECHO);
                var bad = RawPeer.of(server);
                var good = RawPeer.of(echo)) {
            bad.send("x").assertReset();
            good.send("x").assertReads("x");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_write_completion_that_waits_again_leaves_the_loop_to_the_others(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), conn -> {
                    waitAgain(conn);
                    return in -> conn.output().move(in);
                });
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
        }
    }

    private static void waitAgain(Connection conn) {
        conn.whenSent(() -> waitAgain(conn));
    }

    @ParameterizedTest
    @EnumSource
    void a_write_completion_is_never_called_once_the_connection_is_lost(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            var sent = new CompletableFuture<String>();
            onLoop(heard, () -> {
                heard.conn.output().writeUtf8("a");
                heard.conn.whenSent(() -> sent.complete("sent"));
                heard.conn.abort();
            });
            peer.assertReset();
            onLoop(heard, () -> {});
            assertFalse(sent.isDone());
        }
    }

    /// Waits until nothing is received or sent any more, because every buffer on the way is full.
    static void untilStill(EventLoops loops) throws Exception {
        // Long enough for a kernel that has room to go on.
        Eventually.untilStill("bytes", () -> moved(loops), 300);
    }

    private static long moved(EventLoops loops) {
        return loops.counters().stream()
                .mapToLong(counters -> counters.bytesReceived() + counters.bytesSent())
                .sum();
    }

    static void assertAtMost(long limit, long actual) {
        assertTrue(actual <= limit, actual + " is more than " + limit);
    }

    static void sendAndEnd(RawPeer peer, byte[] bytes) {
        try {
            peer.send(bytes).end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int readAll(RawPeer peer) {
        try {
            return peer.readAll().length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void readForEver(RawPeer peer) {
        var bytes = new byte[1 << 20];
        try {
            while (peer.socket().getInputStream().read(bytes) >= 0) Thread.onSpinWait();
        } catch (IOException _) {
            // reset, at last
        }
    }
}
