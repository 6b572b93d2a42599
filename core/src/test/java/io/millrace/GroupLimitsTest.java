package io.millrace;

import static io.millrace.Eventually.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.loop.Guard;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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
        long dropped = Guard.OUTPUT_UNSENT.count();
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
                assertEquals(dropped + 1, Guard.OUTPUT_UNSENT.count());
            } finally {
                goOn.countDown();
            }
        }
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
