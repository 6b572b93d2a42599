package io.millrace;

import static io.millrace.Eventually.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Overflow;
import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopThreads;
import io.millrace.loop.ThreadedLoops;
import io.millrace.memory.SlabPool;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a group keeps for its members is bounded.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupLimitsTest {
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 20);

    /// What is broadcast meanwhile waits for the end of the loan, and counts.
    @ParameterizedTest
    @EnumSource
    void a_member_whose_handler_is_busy_is_dropped_at_its_output_limit(Loops kind) throws Exception {
        var group = new Group<String>();
        long dropped = CoreGuards.OUTPUT_UNSENT.count();
        var isBusy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var factory = Messages.over(FRAMES, Codec.utf8(), peer -> {
            group.join(peer);
            return (MessageHandler<String>) _ -> {
                isBusy.countDown();
                Uninterrupted.await(goOn);
            };
        });
        try (var loops = MessagesTest.start(kind, 1);
                var server =
                        Tcp.listen(loops.listen().dispatch(Dispatch.pool(1)).outputLimit(1 << 20), factory);
                var client = loops.connect(server, FRAMES, Codec.utf8())) {
            try {
                client.send("work");
                client.flush();
                isBusy.await();
                var piece = "x".repeat(64 << 10);
                for (int i = 0; i < 64; i++) group.broadcast(piece);
                until(() -> server.connections() == 0);
                assertEquals(dropped + 1, CoreGuards.OUTPUT_UNSENT.count());
            } finally {
                goOn.countDown();
            }
        }
    }

    /// Whoever stays hears everything, also when another one is dropped in the middle of a broadcast.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void who_stays_misses_nothing_when_another_member_is_dropped(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var isBusy = new CountDownLatch(2);
        var goOn = new CountDownLatch(1);
        var factory = Messages.over(FRAMES, Codec.utf8(), peer -> {
            group.join(peer);
            joined.add(peer);
            return (MessageHandler<String>) _ -> {
                isBusy.countDown();
                Uninterrupted.await(goOn);
            };
        });
        try (var loops = MessagesTest.start(kind, 1);
                var narrow =
                        Tcp.listen(loops.listen().dispatch(Dispatch.pool(1)).outputLimit(1 << 20), factory);
                var wide = Tcp.listen(loops.listen().dispatch(Dispatch.pool(1)), factory);
                var dropped = loops.connect(narrow, FRAMES, Codec.utf8())) {
            joined.take();
            try (var stays = loops.connect(wide, FRAMES, Codec.utf8())) {
                joined.take();
                for (var client : List.of(dropped, stays)) {
                    client.send("work");
                    client.flush();
                }
                isBusy.await();
                var piece = "x".repeat(64 << 10);
                for (int i = 0; i < 64; i++) group.broadcast(piece);
                until(() -> narrow.connections() == 0);
                goOn.countDown();
                for (int i = 0; i < 64; i++) assertEquals(piece, stays.receive());
                assertEquals(1, group.size());
            } finally {
                goOn.countDown();
            }
        }
    }

    private static CheckedLoops bounded(Loops kind, int threads) {
        return new CheckedLoops(kind.setup()
                .threads(threads)
                .earnAfter(0)
                .groupPending(1 << 20)
                .stall(Duration.ZERO)
                .start());
    }

    @ParameterizedTest
    @EnumSource
    void who_broadcasts_faster_than_a_loop_sends_waits(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        long acted = CoreGuards.GROUP_PENDING.count();
        var piece = "x".repeat(10_000);
        try (var loops = bounded(kind, 1);
                var server = Tcp.listen(loops.listen(), joining(group, joined));
                var client = loops.connect(server, FRAMES, Codec.utf8())) {
            var held = hold(joined.take().connection().loop());
            var speaker = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < 500; i++) group.broadcast(piece + i);
            });
            until(() -> speaker.getState() == Thread.State.WAITING);
            assertTrue(CoreGuards.GROUP_PENDING.count() > acted);
            assertTrue(loops.loops().counters().getFirst().pendingTasks() < 200);
            held.countDown();
            for (int i = 0; i < 500; i++) assertEquals(piece + i, client.receive());
            speaker.join();
        }
    }

    /// It would keep everybody else on it waiting, or itself.
    @ParameterizedTest
    @EnumSource
    void a_loop_that_broadcasts_faster_than_another_one_sends_is_told_so(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        try (var loops = bounded(kind, 2);
                var server = Tcp.listen(loops.listen(), joining(group, joined));
                var client = loops.connect(server, FRAMES, Codec.utf8())) {
            var home = joined.take().connection().loop();
            var other = loops.loops().all().stream()
                    .filter(loop -> !loop.equals(home))
                    .findFirst()
                    .orElseThrow();
            var held = hold(home);
            var sent = new AtomicInteger();
            var refused = CompletableFuture.supplyAsync(
                    () -> assertThrows(Overflow.class, () -> {
                        for (; sent.get() < 100_000; sent.incrementAndGet()) group.broadcast("news " + sent);
                    }),
                    other);
            var message = String.valueOf(refused.get().getMessage());
            assertTrue(message.contains("the limit is 1048576 (group.pending)"), message);
            assertTrue(message.contains("EventLoops.Setup.groupPending"), message);
            held.countDown();
            group.broadcast("the end");
            for (int i = 0; i < sent.get(); i++) assertEquals("news " + i, client.receive());
            assertEquals("the end", client.receive());
        }
    }

    /// A session is carried by its loop, and would keep that waiting; where it is not, it may wait.
    @ParameterizedTest
    @EnumSource
    void a_carried_thread_is_told_so_and_any_other_waits(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        boolean isCarried = !kind.name().contains("WITHOUT") && LoopThreads.canCarry();
        var ended = new CompletableFuture<String>();
        try (var loops = bounded(kind, 1);
                var others = bounded(kind, 1);
                var server = Tcp.listen(loops.listen(), joining(group, joined));
                var client = loops.connect(server, FRAMES, Codec.utf8())) {
            var held = hold(joined.take().connection().loop());
            var session = new CompletableFuture<Thread>();
            try (var speaking = Tcp.serve(others.listen(), conn -> {
                        session.complete(Thread.currentThread());
                        try {
                            for (int i = 0; i < 20_000; i++) group.broadcast("news");
                            ended.complete("waited");
                            group.broadcast("over");
                        } catch (Overflow e) {
                            ended.complete("thrown");
                        }
                    });
                    var peer = RawPeer.of(speaking)) {
                if (isCarried) assertEquals("thrown", ended.get());
                else until(() -> session.join().getState() == Thread.State.WAITING);
                held.countDown();
                while (!isCarried && !"over".equals(client.receive())) {
                    // until it has said everything
                }
                assertEquals(isCarried ? "thrown" : "waited", ended.get());
                peer.assertEnd();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void members_of_a_lossy_group_miss_what_a_loop_cannot_take(Loops kind) throws Exception {
        var group = Group.<String>lossy();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        try (var loops = bounded(kind, 1);
                var server = Tcp.listen(loops.listen(), joining(group, joined));
                var client = loops.connect(server, FRAMES, Codec.utf8())) {
            var held = hold(joined.take().connection().loop());
            int sent = 0;
            for (; group.missed() < 3; sent++) group.broadcast("news");
            held.countDown();
            for (int i = 0; i < sent - 3; i++) assertEquals("news", client.receive());
        }
    }

    /// Time jumps at each look, so that a slice is a few members.
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "EPOLL"})
    void a_broadcast_to_many_takes_several_turns_and_keeps_the_order(TransportKind kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var jumps = new AtomicLong();
        var pool = new SlabPool(64 << 20, true);
        var group1 = new ThreadedLoops(
                1,
                "sliced",
                true,
                0,
                Duration.ZERO,
                _ -> new EventLoop(
                        "sliced-0",
                        Transports.make(kind, pool),
                        pool,
                        () -> System.nanoTime() + jumps.addAndGet(2_000_000),
                        true));
        try (var loops = new CheckedLoops(new EventLoops(group1));
                var server = Tcp.listen(loops.listen(), joining(group, joined))) {
            var clients = new ArrayList<BlockingMessages<String>>();
            var peers = new ArrayList<Messages<String>>();
            for (int i = 0; i < 200; i++) {
                clients.add(BlockingMessages.of(Tcp.connect(Connect.to(server.address())), FRAMES, Codec.utf8()));
                peers.add(joined.take());
            }
            var loop = peers.getFirst().connection().loop();
            long turns = loops.loops().counters().getFirst().turns();
            CompletableFuture.runAsync(() -> say(group, peers, "loop"), loop).get();
            say(group, peers, "thread");
            for (var client : clients) {
                for (var who : List.of("loop", "thread")) {
                    assertEquals(who + " to all", client.receive());
                    assertEquals(who + " to one", client.receive());
                    assertEquals(who + " to all again", client.receive());
                }
            }
            assertTrue(loops.loops().counters().getFirst().turns() - turns >= 4 * 200 / 64);
            clients.forEach(BlockingMessages::close);
        }
    }

    private static void say(Group<String> group, List<Messages<String>> peers, String who) {
        group.broadcast(who + " to all");
        for (var peer : peers) peer.send(who + " to one");
        group.broadcast(who + " to all again");
    }

    private static HandlerFactory joining(Group<String> group, LinkedBlockingQueue<Messages<String>> joined) {
        return Messages.over(FRAMES, Codec.utf8(), peer -> {
            group.join(peer);
            joined.add(peer);
            return group::broadcast;
        });
    }

    /// The loop does nothing until the latch is released.
    private static CountDownLatch hold(Loop loop) throws Exception {
        var isHeld = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        loop.execute(() -> {
            isHeld.countDown();
            Uninterrupted.await(goOn);
        });
        isHeld.await();
        return goOn;
    }

    /// A codec with state is made for one connection.
    @ParameterizedTest
    @EnumSource
    void a_group_forgets_the_codecs_of_members_that_have_gone(Loops kind) throws Exception {
        var group = new Group<String>();
        var codecs = new ConcurrentLinkedQueue<WeakReference<Codec<String>>>();
        var joined = new AtomicInteger();
        try (var loops = MessagesTest.start(kind, 1);
                var server = Tcp.listen(loops.listen(), conn -> {
                    var own = new Counting();
                    codecs.add(new WeakReference<>(own));
                    var handlers = Messages.over(FRAMES, own, peer -> {
                        group.join(peer);
                        joined.incrementAndGet();
                        return group::broadcast;
                    });
                    return handlers.open(conn);
                })) {
            for (int i = 0; i < 5; i++) {
                try (var client = loops.connect(server, FRAMES, Codec.utf8())) {
                    client.send("hello");
                    client.flush();
                    assertEquals("hello", client.receive());
                }
            }
            assertEquals(5, joined.get());
            until(() -> server.connections() == 0);
            assertEquals(0, group.size());
            until(() -> areGone(codecs));
        }
    }

    private static boolean areGone(Iterable<WeakReference<Codec<String>>> codecs) {
        System.gc();
        var left = new ArrayList<Codec<String>>();
        for (var codec : codecs) left.add(codec.get());
        return left.stream().allMatch(Objects::isNull);
    }

    private static final class Counting implements Codec<String> {
        private int count;

        @Override
        public String decode(io.millrace.bytes.Input frame) {
            count++;
            return frame.readUtf8(frame.remaining());
        }

        @Override
        public void encode(String message, io.millrace.bytes.Output out) {
            count++;
            out.writeUtf8(message);
        }

        @Override
        public String toString() {
            return List.of(count).toString();
        }
    }
}
