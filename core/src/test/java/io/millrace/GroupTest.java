package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Overloaded;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Groups of peers on two loops, over real sockets.
@Timeout(60)
class GroupTest {
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 20);
    private static final Codec<String> TEXT = Codec.utf8();

    /// Joins each peer and tells of it.
    private static HandlerFactory joining(Group<String> group, BlockingQueue<Messages<String>> joined) {
        return Messages.over(FRAMES, TEXT, peer -> {
            group.join(peer);
            joined.add(peer);
            return group::broadcast;
        });
    }

    private static List<BlockingMessages<String>> connect(CheckedLoops loops, Server server, int count)
            throws IOException {
        var clients = new ArrayList<BlockingMessages<String>>();
        for (int i = 0; i < count; i++) clients.add(loops.connect(server, FRAMES, TEXT));
        return clients;
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        var element = queue.poll(20, TimeUnit.SECONDS);
        if (element == null) throw new AssertionError("nothing came");
        return element;
    }

    @ParameterizedTest
    @EnumSource
    void every_member_on_every_loop_gets_every_message_in_order(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var large = "x".repeat(10_000);
        try (var loops = MessagesTest.start(kind, 2);
                var server = Tcp.listen(loops.listen(), joining(group, joined))) {
            var clients = connect(loops, server, 10);
            for (int i = 0; i < 10; i++) next(joined);
            for (int i = 0; i < 200; i++) group.broadcast(i + (i % 10 == 0 ? large : ""));
            for (var client : clients) {
                for (int i = 0; i < 200; i++) assertEquals(i + (i % 10 == 0 ? large : ""), client.receive());
            }
            assertEquals(10, group.size());
            clients.forEach(BlockingMessages::close);
        }
    }

    /// A handler that broadcasts and sends, on the loop or on a worker, while other threads do the same.
    @ParameterizedTest
    @MethodSource("io.millrace.MessagesTest#loopsAndDispatch")
    void broadcasts_and_messages_of_one_thread_keep_their_order(Loops kind, Dispatch dispatch) throws Exception {
        var group = new Group<String>();
        var opened = new LinkedBlockingQueue<Messages<String>>();
        var factory = Messages.over(FRAMES, TEXT, peer -> {
            group.join(peer);
            opened.add(peer);
            return text -> {
                group.broadcast(text + " b");
                peer.send(text + " s");
                group.broadcast(text + " c");
            };
        });
        try (var loops = MessagesTest.start(kind, 2);
                var server = Tcp.listen(loops.listen().dispatch(dispatch), factory);
                var client = loops.connect(server, FRAMES, TEXT)) {
            var peer = next(opened);
            var other = Thread.ofPlatform().start(() -> talk(group, peer, 300));
            for (int i = 0; i < 300; i++) client.send("handler " + i);
            assertOrdered(client, 600);
            other.join();
        }
    }

    private static void talk(Group<String> group, Messages<String> peer, int count) {
        for (int i = 0; i < count; i++) {
            group.broadcast("thread " + i + " b");
            peer.send("thread " + i + " s");
            group.broadcast("thread " + i + " c");
        }
    }

    /// Of each source: broadcast, message, broadcast; and the numbers in order.
    private static void assertOrdered(BlockingMessages<String> client, int count) throws IOException {
        var next = new java.util.HashMap<String, Integer>();
        for (int i = 0; i < 3 * count; i++) {
            var words = String.valueOf(client.receive()).split(" ", -1);
            int place = next.merge(words[0], 1, Integer::sum) - 1;
            assertEquals(place / 3 + " " + "bsc".charAt(place % 3), words[1] + " " + words[2], words[0]);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_sender_may_be_left_out(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var factory = Messages.over(FRAMES, TEXT, peer -> {
            group.join(peer);
            joined.add(peer);
            return text -> {
                group.broadcastFrom(peer, text);
                peer.send("told");
            };
        });
        try (var loops = MessagesTest.start(kind, 2);
                var server = Tcp.listen(loops.listen(), factory);
                var first = loops.connect(server, FRAMES, TEXT);
                var second = loops.connect(server, FRAMES, TEXT)) {
            next(joined);
            next(joined);
            first.send("hello");
            assertEquals("told", first.receive());
            assertEquals("hello", second.receive());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_leaves_or_closes_is_no_member(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var closed = new LinkedBlockingQueue<Optional<IOException>>();
        var factory = Messages.over(FRAMES, TEXT, peer -> {
            group.join(peer);
            joined.add(peer);
            return tellingCloses(closed);
        });
        try (var loops = MessagesTest.start(kind, 1);
                var server = Tcp.listen(loops.listen(), factory)) {
            var leaver = loops.connect(server, FRAMES, TEXT);
            var leavingPeer = next(joined);
            var closer = loops.connect(server, FRAMES, TEXT);
            var closingPeer = next(joined);
            group.leave(leavingPeer);
            group.broadcast("not for the one that left");
            leavingPeer.send("for the one that left");
            assertEquals("for the one that left", leaver.receive());
            assertEquals("not for the one that left", closer.receive());
            closer.close();
            next(closed);
            assertEquals(0, group.size());
            group.join(closingPeer);
            group.broadcast("to nobody");
            leavingPeer.send("again");
            assertEquals("again", leaver.receive());
            assertEquals(0, group.size());
            leaver.close();
        }
    }

    private static MessageHandler<String> tellingCloses(BlockingQueue<Optional<IOException>> closed) {
        return new MessageHandler<>() {
            @Override
            public void onMessage(String text) {}

            @Override
            public void onClose(@Nullable IOException cause) {
                closed.add(Optional.ofNullable(cause));
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void a_member_that_never_reads_is_dropped_and_the_others_miss_nothing(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var closed = new LinkedBlockingQueue<Optional<IOException>>();
        var factory = Messages.over(FRAMES, TEXT, peer -> {
            group.join(peer);
            joined.add(peer);
            return tellingCloses(closed);
        });
        var text = "x".repeat(60_000);
        int most = 2000;
        try (var loops = MessagesTest.start(kind, 2);
                var server = Tcp.listen(loops.listen().outputLimit(2 << 20), factory);
                var reader = loops.connect(server, FRAMES, TEXT);
                var sleeper = loops.connect(server, FRAMES, TEXT)) {
            next(joined);
            next(joined);
            int sent = 0;
            while (closed.isEmpty() && sent++ < most) {
                group.broadcast(text);
                assertEquals(text, reader.receive());
            }
            var cause = assertInstanceOf(Overloaded.class, next(closed).orElseThrow());
            assertTrue(cause.toString().contains("the limit is 2097152"), cause.toString());
            group.broadcast("still here");
            assertEquals("still here", reader.receive());
            assertThrows(IOException.class, () -> receiveAll(sleeper));
        }
    }

    private static void receiveAll(BlockingMessages<String> client) throws IOException {
        while (client.receive() != null) {}
    }

    @ParameterizedTest
    @EnumSource
    void a_member_of_a_lossy_group_that_is_full_misses_messages(Loops kind) throws Exception {
        var group = Group.<String>lossy();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var text = "x".repeat(60_000);
        try (var loops = MessagesTest.start(kind, 1);
                var server = Tcp.listen(loops.listen(), joining(group, joined));
                var client = loops.connect(server, FRAMES, TEXT)) {
            var peer = next(joined);
            int received = 0;
            int sent = 0;
            for (; group.missed() == 0; sent++) group.broadcast(text);
            group.leave(peer);
            peer.close();
            while (client.receive() != null) received++;
            assertEquals(sent, received + group.missed());
        }
    }

    @ParameterizedTest
    @EnumSource
    void peers_of_different_framings_get_the_same_message(Loops kind) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        var lines = Framing.lines(1000);
        var byLines = Messages.over(lines, TEXT, peer -> {
            group.join(peer);
            joined.add(peer);
            return group::broadcast;
        });
        try (var loops = MessagesTest.start(kind, 2);
                var framed = Tcp.listen(loops.listen(), joining(group, joined));
                var typed = Tcp.listen(loops.listen(), byLines);
                var first = loops.connect(framed, FRAMES, TEXT);
                var second = loops.connect(typed, lines, TEXT)) {
            next(joined);
            next(joined);
            second.send("typed");
            second.flush();
            assertEquals("typed", first.receive());
            assertEquals("typed", second.receive());
            second.end();
            assertNull(second.receive());
        }
    }
}
