package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// While a handler on another thread has a connection's output, the loop runs no other code that may write to it.
@Tag("shipping")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoanTest {
    /// Works when it is told to, until it may go on.
    private static class Worker extends Heard {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicBoolean working;

        Worker(Connection conn, AtomicBoolean working) {
            super(conn);
            this.working = working;
        }

        @Override
        public void onInput(Input in) {
            in.skip(in.remaining());
            working.set(true);
            began.countDown();
            Uninterrupted.await(goOn);
            working.set(false);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_heartbeat_waits_until_the_handler_has_returned(Loops kind) throws Exception {
        var overlapped = new AtomicBoolean();
        var beats = new AtomicInteger();
        var working = new AtomicBoolean();
        var handlers = new Handlers<>(conn -> new Worker(conn, working));
        Consumer<Connection> beat = _ -> {
            if (working.get()) overlapped.set(true);
            beats.incrementAndGet();
        };
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops).dispatch(Dispatch.pool(1)).whenIdle(Duration.ofMillis(10), beat), handlers);
                var peer = RawPeer.of(server)) {
            var worker = handlers.next();
            peer.send("work");
            worker.began.await();
            int before = beats.get();
            var passed = new CountDownLatch(1);
            loops.next().after(Duration.ofMillis(100), passed::countDown);
            passed.await();
            worker.goOn.countDown();
            assertFalse(overlapped.get(), "the loop called while the handler had the output");
            until(() -> beats.get() > before);
        }
    }

    /// Answers what it is told: a lot, a little, or only when it may go on.
    private static final class Answering extends Heard {
        /// Below the high watermark.
        static final int LOT = 250_000;

        final CountDownLatch goOn = new CountDownLatch(1);

        Answering(Connection conn) {
            super(conn);
        }

        @Override
        public void onInput(Input in) {
            var wish = in.readUtf8(in.remaining());
            calls.add(wish);
            if (wish.equals("wait")) Uninterrupted.await(goOn);
            if (wish.equals("lot")) conn.output().write(Bytes.of(new byte[LOT]));
            else conn.output().writeUtf8(wish);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_call_wrote_behind_a_send_under_way_waits_for_no_other_call(Loops kind) throws Exception {
        var handlers = new Handlers<>(Answering::new);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), handlers);
                var peer = RawPeer.withSmallWindow(server)) {
            var handler = handlers.next();
            for (var wish : List.of("lot", "little", "wait")) {
                peer.send(wish);
                assertEquals(wish, handler.calls.take());
            }
            assertEquals(Answering.LOT, peer.read(Answering.LOT).length());
            peer.assertReads("little");
            handler.goOn.countDown();
            peer.assertReads("wait");
        }
    }

    /// The client's thread may be anywhere; it is no mistake of the loop's that it has not finished.
    @ParameterizedTest
    @EnumSource
    void loops_close_while_a_client_has_read_half_of_its_input(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(local(loops), conn -> in -> conn.output().move(in))) {
            try (var closing = kind.start(1)) {
                var client = Tcp.connect(Connect.to(server.address()).loops(closing));
                client.output().writeUtf8("hello");
                assertTrue(client.read());
                assertEquals('h', client.input().readByte());
            }
        }
    }
}
