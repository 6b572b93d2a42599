package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static io.millrace.WatermarkTest.assertAtMost;
import static io.millrace.WatermarkTest.untilStill;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Handlers on other threads than the loop's: they may block, and otherwise see no difference.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DispatchTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    static Stream<Arguments> everywhere() {
        return Stream.of(Loops.values())
                .flatMap(kind ->
                        Stream.of(Dispatch.virtual(), Dispatch.pool(2)).map(dispatch -> Arguments.of(kind, dispatch)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void calls_come_in_order_and_never_overlap(Loops kind, Dispatch dispatch) throws Exception {
        var handlers = new Handlers<>(Ordered::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var peer = RawPeer.of(server)) {
            for (int i = 0; i < 2000; i++) peer.send(new byte[] {(byte) i});
            peer.end();
            var ordered = handlers.next();
            assertEquals("null", ordered.closed.get());
            assertEquals(2000, ordered.received);
            assertEquals(List.of("end", "close"), ordered.callsSoFar());
            assertEquals("", ordered.complaint);
        }
    }

    private static final class Ordered extends Heard {
        private final AtomicInteger inside = new AtomicInteger();
        int received;
        volatile String complaint = "";

        Ordered(Connection conn) {
            super(conn);
        }

        @Override
        public void onInput(Input in) {
            if (inside.incrementAndGet() != 1) complaint = "calls overlap";
            Thread.onSpinWait();
            while (!in.isEmpty()) {
                if (in.readByte() != (byte) received++) complaint = "out of order at " + received;
            }
            inside.decrementAndGet();
        }

        @Override
        public void onEnd(Connection ended) {
            if (inside.get() != 0) complaint = "calls overlap";
            super.onEnd(ended);
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            if (inside.get() != 0) complaint = "calls overlap";
            super.onClose(cause);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_blocks_does_not_stop_other_connections(Loops kind, Dispatch dispatch) throws Exception {
        var goOn = new CountDownLatch(1);
        HandlerFactory blocking = conn -> in -> {
            if (in.peekByte(0) == '!') await(goOn);
            conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), blocking);
                var blocked = RawPeer.of(server);
                var free = RawPeer.of(server)) {
            blocked.send("!");
            until(() -> loops.counters().getFirst().bytesReceived() == 1);
            for (int i = 0; i < 20; i++) free.send("x").assertReads("x");
            goOn.countDown();
            blocked.assertReads("!");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void what_a_call_wrote_leaves_though_the_next_one_blocks(Loops kind, Dispatch dispatch) throws Exception {
        var bothHere = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        HandlerFactory blocking = conn -> in -> {
            await(in.peekByte(0) == 'a' ? bothHere : goOn);
            conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), blocking);
                var peer = RawPeer.of(server)) {
            peer.send("a");
            until(() -> loops.counters().getFirst().bytesReceived() == 1);
            peer.send("b");
            until(() -> loops.counters().getFirst().bytesReceived() == 2);
            bothHere.countDown();
            peer.assertReads("a");
            goOn.countDown();
            peer.assertReads("b");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_call_on_a_virtual_thread_finds_nothing_that_another_left_in_its_thread(Loops kind) throws Exception {
        var left = new ThreadLocal<String>();
        var loader = Thread.currentThread().getContextClassLoader();
        HandlerFactory leaving = conn -> in -> {
            var thread = Thread.currentThread();
            var isItsOwn = thread.getContextClassLoader().equals(loader);
            var found = thread.isInterrupted() + " " + thread.getName() + " " + isItsOwn;
            switch (in.readByte()) {
                case 'i' -> thread.interrupt();
                case 'n' -> thread.setName("mine");
                case 'c' -> thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
                case 'l' -> left.set("mine");
                // Asking for one leaves something, too.
                default -> found += " " + left.get();
            }
            conn.output().writeUtf8(found);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.virtual()), leaving);
                var interrupt = RawPeer.of(server);
                var name = RawPeer.of(server);
                var classes = RawPeer.of(server);
                var local = RawPeer.of(server);
                var last = RawPeer.of(server)) {
            // All arrive in one turn, so that one thread could serve them.
            var isHere = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            loops.next().execute(() -> {
                isHere.countDown();
                Uninterrupted.await(goOn);
            });
            isHere.await();
            interrupt.send("i");
            name.send("n");
            classes.send("c");
            local.send("l");
            last.send("?");
            goOn.countDown();
            for (var peer : List.of(interrupt, name, classes, local)) peer.assertReads("false handler true");
            last.assertReads("false handler true null");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void arrivals_while_a_handler_blocks_are_bounded(Loops kind, Dispatch dispatch) throws Exception {
        var goOn = new CountDownLatch(1);
        HandlerFactory blocking = conn -> in -> {
            await(goOn);
            conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), blocking);
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
            goOn.countDown();
            assertEquals(500 + sent.length, peer.readAll().length);
            sender.get();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void close_is_kept_also_when_the_handler_goes_on_after_it(Loops kind, Dispatch dispatch) throws Exception {
        var closing = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        HandlerFactory late = conn -> in -> {
            in.skip(in.remaining());
            conn.close();
            closing.countDown();
            await(goOn);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), late);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            closing.await();
            // Two turns, in which the loop sees the close while the connection is still lent.
            Eventually.turns(loops, 2);
            goOn.countDown();
            peer.assertEnd();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_connection_that_was_full_receives_on_after_a_loan_that_wrote_nothing(Loops kind, Dispatch dispatch)
            throws Exception {
        var began = new CountDownLatch(2);
        var goOn = new CountDownLatch(1);
        var first = new byte[8 << 20];
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                super.onInput(in);
                if (calls.peek().equals("a")) conn.output().write(first, 0, first.length);
                calls.clear();
                began.countDown();
                if (began.getCount() == 0) await(goOn);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            peer.send("a");
            var heard = handlers.next();
            until(() -> began.getCount() == 1);
            // The connection is full and does not receive; everything leaves, and the handler blocks meanwhile.
            Eventually.turns(loops, 2);
            peer.send("b");
            assertEquals(first.length, peer.socket().getInputStream().readNBytes(first.length).length);
            began.await();
            goOn.countDown();
            peer.send("c");
            until(() -> loops.counters().getFirst().bytesReceived() == 3);
            heard.conn.abort();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_pauses_is_not_called_until_it_resumes(Loops kind, Dispatch dispatch) throws Exception {
        var more = new CountDownLatch(1);
        var paused = new CountDownLatch(1);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                super.onInput(in);
                if (calls.size() > 1) return;
                await(more);
                conn.pause();
                paused.countDown();
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            peer.send("a");
            until(() -> heard.calls.size() == 1);
            peer.send("b").end();
            until(() -> loops.counters().getFirst().bytesReceived() == 2);
            more.countDown();
            paused.await();
            Eventually.turns(loops, 20);
            assertEquals(List.of("a"), heard.callsSoFar());
            heard.conn.resume();
            assertEquals("null", heard.closed.get());
            assertEquals(List.of("a", "b", "end", "close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_wants_the_rest_offered_again_may_leave_more_than_the_limit(Loops kind, Dispatch dispatch)
            throws Exception {
        int total = 100_000;
        var read = new AtomicInteger();
        HandlerFactory littleByLittle = conn -> in -> {
            int length = (int) Math.min(1000, in.remaining());
            in.skip(length);
            read.addAndGet(length);
            if (in.isEmpty()) return;
            conn.pause();
            conn.resume();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch).inputLimit(2000), littleByLittle);
                var peer = RawPeer.of(server)) {
            peer.send(new byte[total]).end();
            peer.assertEnd();
            assertEquals(total, read.get());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_handler_that_throws_loses_its_own_connection_only(Loops kind, Dispatch dispatch) throws Exception {
        HandlerFactory picky = conn -> in -> {
            if (in.peekByte(0) == '!') throw new IllegalStateException("as told");
            conn.output().move(in);
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), picky);
                var good = RawPeer.of(server);
                var bad = RawPeer.of(server)) {
            bad.send("!").assertReset();
            good.send("?").assertReads("?");
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_reset_during_a_call_is_told_after_it(Loops kind, Dispatch dispatch) throws Exception {
        var goOn = new CountDownLatch(1);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) throws IOException {
                await(goOn);
                conn.output().writeUtf8("nobody hears this");
                super.onInput(in);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            until(() -> loops.counters().getFirst().bytesReceived() == 1);
            peer.reset();
            until(() -> server.connections() == 0);
            var heard = handlers.next();
            assertFalse(heard.closed.isDone());
            goOn.countDown();
            assertTrue(heard.closed.get().startsWith("Reset"), heard.closed.get());
            assertEquals(List.of("x", "close"), heard.callsSoFar());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void whatever_a_handler_may_ask_its_connection_works_on_its_thread(Loops kind, Dispatch dispatch) throws Exception {
        var known = new CompletableFuture<String>();
        var sent = new CountDownLatch(100);
        HandlerFactory curious = conn -> in -> {
            in.skip(in.remaining());
            conn.options().set(StandardSocketOptions.SO_KEEPALIVE, true);
            for (int i = 0; i < 100; i++) {
                conn.output().writeUtf8("x");
                conn.whenSent(sent::countDown);
            }
            known.complete(conn.remote() + " " + conn.local() + " "
                    + conn.options().get(StandardSocketOptions.SO_KEEPALIVE) + " " + conn.isFull());
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(dispatch), curious);
                var other = Tcp.listen(local(loops), ECHO);
                var busy = RawPeer.of(other);
                var peer = RawPeer.of(server)) {
            peer.send("?");
            for (int i = 0; i < 200; i++) busy.send("x").assertReads("x");
            assertEquals(peer.socket().getLocalSocketAddress() + " " + server.address() + " true false", known.get());
            sent.await();
            assertEquals(100, peer.read(100).length());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void output_above_its_limit_kills_the_connection(Loops kind, Dispatch dispatch) throws Exception {
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                while (true) conn.output().write(new byte[10_000], 0, 10_000);
            }
        });
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).outputLimit(1 << 20).dispatch(dispatch), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x").assertReset();
            var cause = handlers.next().closed.get();
            assertTrue(cause.startsWith("Overloaded: "), cause);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /// Loops are shared by many servers, and outlive them.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void workers_end_with_their_server(Loops kind) throws Exception {
        var workers = ConcurrentHashMap.<Thread>newKeySet();
        HandlerFactory noting = conn -> in -> {
            workers.add(Thread.currentThread());
            conn.output().move(in);
        };
        try (var loops = kind.start(1)) {
            for (int i = 0; i < 10; i++) {
                try (var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(2)), noting);
                        var peer = RawPeer.of(server)) {
                    for (int j = 0; j < 4; j++) peer.send("x").assertReads("x");
                    if (i == 0) assertTrue(server.drain(Duration.ofSeconds(20)));
                }
            }
            assertTrue(workers.size() >= 10);
            until(() -> workers.stream().noneMatch(Thread::isAlive));
        }
    }

    /// Whoever is at work then hears of the end all the same.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_worker_that_outlives_its_server_hears_of_the_end(Loops kind) throws Exception {
        var isBusy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var handlers = new Handlers<>(conn -> new Heard(conn) {
            @Override
            public void onInput(Input in) {
                isBusy.countDown();
                Uninterrupted.await(goOn);
            }
        });
        try (var loops = kind.start(1)) {
            var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), handlers);
            try (var peer = RawPeer.of(server)) {
                peer.send("x");
                isBusy.await();
                server.close();
            } finally {
                goOn.countDown();
            }
            assertEquals("Reset: aborted by this side", handlers.next().closed.get());
        }
    }
}
