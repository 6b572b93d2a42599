package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static io.millrace.WatermarkTest.assertAtMost;
import static io.millrace.WatermarkTest.untilStill;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Overloaded;
import io.millrace.net.Reset;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Direct style: plain blocking code on a virtual thread for each connection.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("ThreadPriorityCheck") // a carried thread yields to its loop
class SessionTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final byte[] PIECE = new byte[10_000];

    @ParameterizedTest
    @EnumSource
    void a_read_that_waits_sends_what_was_written(Loops kind) throws Exception {
        Session ask = conn -> {
            conn.output().writeUtf8("name?");
            assertTrue(conn.read());
            conn.output().writeUtf8("hello " + text(conn));
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), ask);
                var peer = RawPeer.of(server)) {
            peer.assertReads("name?");
            peer.send("you").assertReads("hello you");
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_is_left_unread_is_offered_in_front_of_the_next_bytes(Loops kind) throws Exception {
        Session lines = conn -> {
            while (conn.read()) {
                if (conn.input().indexOf((byte) '\n') >= 0) conn.output().move(conn.input());
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), lines);
                var peer = RawPeer.of(server)) {
            peer.send("he");
            until(() -> loops.counters().getFirst().bytesReceived() == 2);
            peer.send("llo\n").assertReads("hello\n");
        }
    }

    @ParameterizedTest
    @EnumSource
    void read_is_false_when_the_peer_has_ended_and_writing_goes_on(Loops kind) throws Exception {
        Session count = conn -> {
            long sum = 0;
            while (conn.read()) {
                sum += conn.input().remaining();
                conn.input().skip(conn.input().remaining());
            }
            assertFalse(conn.read());
            conn.output().writeUtf8(sum + " bytes");
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), count);
                var peer = RawPeer.of(server)) {
            peer.send(new byte[1_000_000]).end().assertReads("1000000 bytes");
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void end_shows_the_peer_the_end_and_reading_goes_on(Loops kind) throws Exception {
        var heard = new CompletableFuture<String>();
        Session last = conn -> {
            conn.output().writeUtf8("bye");
            conn.end();
            var text = new StringBuilder();
            while (conn.read()) text.append(text(conn));
            heard.complete(text.toString());
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), last);
                var peer = RawPeer.of(server)) {
            assertEquals("bye", new String(peer.readAll(), java.nio.charset.StandardCharsets.UTF_8));
            peer.send("but").send("ler").end();
            assertEquals("butler", heard.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_end_behind_much_that_is_unsent_leaves_though_the_session_is_busy_elsewhere(Loops kind) throws Exception {
        var hasEnded = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var sent = new byte[6 << 20];
        Session busy = conn -> {
            conn.output().write(sent, 0, sent.length);
            conn.flush();
            conn.output().write(sent, 0, sent.length);
            conn.end();
            hasEnded.countDown();
            goOn.await();
        };
        try (var loops = kind.start(1);
                var server =
                        Tcp.serve(local(loops).watermarks(1 << 20, 16 << 20).outputLimit(32 << 20), busy);
                var peer = RawPeer.withSmallWindow(server)) {
            var reader = CompletableFuture.supplyAsync(() -> lengthUntilEnd(peer));
            assertEquals(2 * sent.length, reader.get(30, TimeUnit.SECONDS));
            assertEquals(0, hasEnded.getCount());
            goOn.countDown();
        }
    }

    private static int lengthUntilEnd(RawPeer peer) {
        try {
            return peer.readAll().length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_sends_everything_and_every_later_call_says_that_it_is_over(Loops kind) throws Exception {
        var sent = new byte[3 << 20];
        new Random(5).nextBytes(sent);
        var later = new CompletableFuture<Throwable>();
        Session once = conn -> {
            conn.output().write(sent, 0, sent.length);
            conn.close();
            conn.close();
            later.complete(assertThrows(IOException.class, conn::read));
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), once);
                var peer = RawPeer.of(server)) {
            assertArrayEquals(sent, peer.readAll());
            assertInstanceOf(Reset.class, later.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_writer_waits_until_the_peer_reads(Loops kind) throws Exception {
        int total = 24 << 20;
        var done = new CompletableFuture<String>();
        Session write = conn -> {
            for (int written = 0; written < total; written += PIECE.length) {
                conn.output().write(PIECE, 0, Math.min(PIECE.length, total - written));
            }
            done.complete("done");
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), write);
                var peer = RawPeer.withSmallWindow(server)) {
            untilStill(loops);
            assertFalse(done.isDone(), "the writer wrote 24 MiB to a peer that reads nothing");
            assertAtMost(2 << 20, loops.counters().getFirst().slabBytesInUse());
            assertEquals(total, peer.readAll().length);
            done.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void flush_waits_while_more_than_the_high_watermark_is_unsent(Loops kind) throws Exception {
        var rounds = new AtomicInteger();
        Session write = conn -> {
            while (true) {
                conn.output().write(PIECE, 0, PIECE.length);
                conn.flush();
                rounds.incrementAndGet();
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), write);
                var peer = RawPeer.withSmallWindow(server)) {
            untilStill(loops);
            int before = rounds.get();
            assertAtMost(2 << 20, loops.counters().getFirst().slabBytesInUse());
            peer.socket().getInputStream().skipNBytes(8 << 20);
            until(() -> rounds.get() > before);
            peer.reset();
        }
    }

    /// Small marks make the writer wait, and be woken, in every moment of the loop's turn.
    @ParameterizedTest
    @EnumSource
    void a_writer_that_waits_often_sends_what_it_wrote(Loops kind) throws Exception {
        var sent = new byte[1 << 20];
        new Random(6).nextBytes(sent);
        Session write = conn -> {
            conn.options().set(StandardSocketOptions.SO_SNDBUF, 16 << 10);
            for (int at = 0; at < sent.length; at += 1 << 10) conn.output().write(sent, at, 1 << 10);
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).watermarks(2 << 10, 4 << 10), write);
                var peer = RawPeer.of(server)) {
            assertArrayEquals(sent, peer.readAll());
        }
    }

    /// Whoever writes as fast as the peer reads never has to wait, but must not keep the loop.
    @ParameterizedTest
    @EnumSource
    void a_writer_that_never_waits_leaves_the_loop_to_the_others(Loops kind) throws Exception {
        Session endless = conn -> {
            while (true) conn.output().write(PIECE, 0, PIECE.length);
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), endless);
                var echo = Tcp.listen(local(loops), ECHO);
                var greedy = RawPeer.of(server);
                var modest = RawPeer.of(echo)) {
            var reader = Thread.ofPlatform().start(() -> WatermarkTest.readForEver(greedy));
            for (int i = 0; i < 100; i++) modest.send("x").assertReads("x");
            greedy.reset();
            reader.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_is_thrown_where_the_session_reads(Loops kind) throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        Session read = conn -> {
            try {
                while (conn.read()) conn.output().move(conn.input());
            } catch (IOException e) {
                thrown.complete(e);
                assertFalse(Thread.currentThread().isInterrupted());
                throw e;
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), read);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReads("x");
            peer.reset();
            assertInstanceOf(Reset.class, thrown.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reset_is_thrown_where_the_session_writes(Loops kind) throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        Session write = conn -> {
            try {
                while (true) conn.output().write(PIECE, 0, PIECE.length);
            } catch (UncheckedIOException e) {
                thrown.complete(e.getCause());
                throw e;
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), write);
                var peer = RawPeer.withSmallWindow(server)) {
            untilStill(loops);
            peer.reset();
            assertInstanceOf(Reset.class, thrown.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_is_busy_elsewhere_is_interrupted_when_its_connection_is_lost(Loops kind) throws Exception {
        var began = new CountDownLatch(1);
        var interrupted = new CompletableFuture<Throwable>();
        Session busy = conn -> {
            conn.read();
            began.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(e);
            }
            assertThrows(Reset.class, conn::read);
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), busy);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            began.await();
            peer.reset();
            interrupted.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_drops_its_own_connection_is_not_interrupted(Loops kind) throws Exception {
        var after = new CompletableFuture<String>();
        Session abort = conn -> {
            conn.read();
            conn.abort();
            try {
                assertThrows(IOException.class, () -> {
                    while (true) conn.flush();
                });
                // An interrupt that the loop sent would be there by then.
                CompletableFuture.runAsync(() -> {}, conn.loop()).get();
                after.complete("waited");
            } catch (InterruptedException e) {
                after.complete("interrupted");
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), abort);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReset();
            assertEquals("waited", after.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void interrupting_a_session_that_reads_drops_its_connection(Loops kind) throws Exception {
        var session = new CompletableFuture<Thread>();
        var thrown = new CompletableFuture<Throwable>();
        Session read = conn -> {
            session.complete(Thread.currentThread());
            try {
                conn.read();
            } catch (IOException e) {
                thrown.complete(e);
                assertTrue(Thread.currentThread().isInterrupted());
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), read);
                var peer = RawPeer.of(server)) {
            session.get().interrupt();
            assertInstanceOf(InterruptedIOException.class, thrown.get());
            peer.assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void interrupting_a_session_that_writes_drops_its_connection(Loops kind) throws Exception {
        var session = new CompletableFuture<Thread>();
        var thrown = new CompletableFuture<Throwable>();
        Session write = conn -> {
            session.complete(Thread.currentThread());
            try {
                while (true) conn.output().write(PIECE, 0, PIECE.length);
            } catch (UncheckedIOException e) {
                thrown.complete(e.getCause());
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), write);
                var peer = RawPeer.withSmallWindow(server)) {
            untilStill(loops);
            session.get().interrupt();
            assertInstanceOf(InterruptedIOException.class, thrown.get());
            peer.assertReset();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_throws_loses_its_own_connection_only(Loops kind) throws Exception {
        Session picky = conn -> {
            while (conn.read()) {
                if (conn.input().peekByte(0) == '!') throw new IllegalStateException("as told");
                conn.output().move(conn.input());
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), picky);
                var good = RawPeer.of(server);
                var bad = RawPeer.of(server)) {
            try (var log = CapturedLog.of("io.millrace.session")) {
                bad.send("!").assertReset();
                assertTrue(log.next().contains("as told"));
            }
            good.send("?").assertReads("?");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_leaves_too_much_unread_is_told_so(Loops kind) throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        Session hoarder = conn -> {
            try {
                while (true) conn.read();
            } catch (IOException e) {
                thrown.complete(e);
                throw e;
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops).inputLimit(10_000), hoarder);
                var peer = RawPeer.of(server)) {
            peer.send(new byte[100_000]).assertReset();
            assertInstanceOf(Overloaded.class, thrown.get());
            assertTrue(
                    thrown.get().toString().contains("the limit is 10000"),
                    thrown.get().toString());
        }
    }

    /// What arrives while the session is busy is bounded, however small the packets are.
    @ParameterizedTest
    @EnumSource
    void arrivals_during_a_loan_are_bounded(Loops kind) throws Exception {
        var goOn = new CompletableFuture<String>();
        Session busy = conn -> {
            conn.read();
            goOn.get();
            do conn.output().move(conn.input());
            while (conn.read());
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), busy);
                var peer = RawPeer.of(server)) {
            for (int i = 1; i <= 500; i++) {
                peer.send("x");
                long arrived = i;
                until(() -> loops.counters().getFirst().bytesReceived() == arrived);
            }
            assertAtMost(256 << 10, loops.counters().getFirst().slabBytesInUse());
            var sent = new byte[24 << 20];
            var sender = CompletableFuture.runAsync(() -> WatermarkTest.sendAndEnd(peer, sent));
            untilStill(loops);
            assertFalse(sender.isDone());
            assertAtMost(1 << 20, loops.counters().getFirst().slabBytesInUse());
            goOn.complete("now");
            assertEquals(500 + sent.length, peer.readAll().length);
            sender.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void locks_and_monitors_stop_the_session_and_not_its_loop(Loops kind) throws Exception {
        var lock = new ReentrantLock();
        var monitor = new Object();
        Session slow = conn -> {
            while (conn.read()) {
                lock.lock();
                try {
                    synchronized (monitor) {
                        conn.output().move(conn.input());
                        monitor.wait(2);
                        conn.flush();
                    }
                } finally {
                    lock.unlock();
                }
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), slow);
                var echo = Tcp.listen(local(loops), ECHO);
                var peers = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<Future<?>>();
            for (int i = 0; i < 20; i++) results.add(peers.submit(() -> rounds(server, 5)));
            rounds(echo, 200);
            for (var result : results) result.get();
        }
    }

    private static Object rounds(Server server, int count) throws IOException {
        try (var peer = RawPeer.of(server)) {
            for (int i = 0; i < count; i++) peer.send("ping").assertReads("ping");
        }
        return "done";
    }

    @ParameterizedTest
    @EnumSource
    void threads_started_by_a_session_may_do_its_work(Loops kind) throws Exception {
        Session parent = conn -> {
            while (conn.read()) {
                var text = text(conn);
                var answers = new ConcurrentLinkedQueue<String>();
                var child = Thread.ofVirtual().start(() -> {
                    Thread.yield();
                    answers.add(text + text);
                });
                child.join();
                conn.output().writeUtf8(answers.remove());
            }
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), parent);
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 10; i++) peer.send("ab").assertReads("abab");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_is_named_after_its_peer_and_counts_bytes_for_any_thread(Loops kind) throws Exception {
        var sessions = new LinkedBlockingQueue<BlockingConnection>();
        var names = new LinkedBlockingQueue<String>();
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), conn -> {
                    sessions.add(conn);
                    names.add(Thread.currentThread().getName());
                    while (conn.read()) {
                        conn.output().move(conn.input());
                        conn.output().writeUtf8("!");
                    }
                });
                var peer = RawPeer.of(server)) {
            var address = peer.socket().getLocalSocketAddress();
            assertEquals("session " + address.toString().substring(1), names.take());
            peer.send("hello").assertReads("hello!");
            var session = sessions.take();
            until(() -> session.sentBytes() == 6);
            assertEquals(5, session.receivedBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_may_ask_another_server_on_the_same_loop(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var echo = Tcp.listen(local(loops), ECHO);
                var server = Tcp.serve(local(loops), conn -> relay(conn, echo));
                var peer = RawPeer.of(server)) {
            peer.send("hello").assertReads("hello");
            peer.send(" again").assertReads(" again");
            peer.end().assertEnd();
        }
    }

    private static void relay(BlockingConnection conn, Server echo) throws IOException {
        try (var upstream = Tcp.connect(Connect.to(echo.address()).loop(conn.loop()))) {
            while (conn.read()) {
                upstream.output().move(conn.input());
                upstream.read();
                conn.output().move(upstream.input());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_knows_its_addresses_and_options_on_whatever_thread_it_runs(Loops kind) throws Exception {
        var known = new CompletableFuture<String>();
        Session curious = conn -> {
            conn.options().set(StandardSocketOptions.SO_KEEPALIVE, true);
            boolean keepAlive = conn.options().get(StandardSocketOptions.SO_KEEPALIVE);
            known.complete(conn.remote() + " " + conn.local() + " " + keepAlive);
        };
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), curious);
                var peer = RawPeer.of(server)) {
            var expected = peer.socket().getLocalSocketAddress() + " " + server.address() + " true";
            assertEquals(expected, known.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_option_that_nobody_knows_is_refused_by_name(Loops kind) throws Exception {
        var refused = new CompletableFuture<Throwable>();
        Session wrong = conn -> refused.complete(assertThrows(
                UnsupportedOperationException.class, () -> conn.options().get(StandardSocketOptions.IP_MULTICAST_TTL)));
        try (var loops = kind.start(1);
                var server = Tcp.serve(local(loops), wrong);
                var peer = RawPeer.of(server)) {
            assertTrue(
                    refused.get().toString().contains("IP_MULTICAST_TTL"),
                    refused.get().toString());
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_is_interrupted_while_it_reads_loses_its_connection(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers)) {
            var connected = new CompletableFuture<Thread>();
            var thrown = new CompletableFuture<Throwable>();
            Thread.ofPlatform().start(() -> {
                try (var conn = Tcp.connect(Connect.to(server.address()).loops(loops))) {
                    connected.complete(Thread.currentThread());
                    conn.read();
                } catch (IOException e) {
                    thrown.complete(e);
                }
            });
            var heard = handlers.next();
            connected.get().interrupt();
            assertInstanceOf(InterruptedIOException.class, thrown.get());
            assertTrue(heard.closed.get().startsWith("Reset"), heard.closed.get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_is_interrupted_at_any_moment_leaves_no_connection(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            for (int i = 0; i < 50; i++) {
                var client = Thread.ofPlatform().start(() -> {
                    try (var conn = Tcp.connect(Connect.to(server.address()).loops(loops))) {
                        conn.read();
                    } catch (IOException _) {
                        assertTrue(Thread.currentThread().isInterrupted());
                    }
                });
                for (int spin = 0; spin < i * 200; spin++) Thread.onSpinWait();
                client.interrupt();
                client.join();
            }
            until(() -> loops.counters().getFirst().connections() == 0);
        }
    }

    private static String text(BlockingConnection conn) {
        return conn.input().readUtf8(conn.input().remaining());
    }
}
