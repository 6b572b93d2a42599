package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Handlers that are still busy when their loop has lost its patience and is gone: they hear of the end, because
/// what they hold for their connection is to be given back.
@Tag("slow")
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutlivedLoopTest {
    /// Works, and writes, until it is told to stop.
    private static final class Stubborn extends Heard {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        volatile @Nullable Thread worker;
        volatile @Nullable Thread told;

        Stubborn(Connection conn) {
            super(conn);
        }

        @Override
        public void onInput(Input in) throws IOException {
            worker = Thread.currentThread();
            began.countDown();
            Uninterrupted.await(goOn);
            super.onInput(in);
            conn.output().write(new byte[100_000], 0, 100_000);
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            told = Thread.currentThread();
            super.onClose(cause);
        }
    }

    static Stream<Arguments> elsewhere() {
        return Stream.of(
                Arguments.of(Loops.EPOLL, Dispatch.virtual()),
                Arguments.of(Loops.NIO_WITHOUT_CARRIERS, Dispatch.pool(2)));
    }

    @ParameterizedTest
    @MethodSource("elsewhere")
    void a_handler_hears_of_the_end_on_the_thread_of_its_last_call(Loops kind, Dispatch dispatch) throws Exception {
        var handlers = new Handlers<>(Stubborn::new);
        var loops = kind.start(1);
        try (var server = Tcp.listen(local(loops).dispatch(dispatch), handlers);
                var one = RawPeer.of(server);
                var other = RawPeer.of(server)) {
            one.send("x");
            other.send("x");
            var busy = List.of(handlers.next(), handlers.next());
            for (var handler : busy) handler.began.await();
            loops.close();
            for (var handler : busy) handler.goOn.countDown();
            for (var handler : busy) {
                assertEquals("Reset: the event loop of this connection was closed", handler.closed.get());
                assertEquals(List.of("x", "close"), handler.callsSoFar());
                assertEquals(handler.worker, handler.told);
            }
        } finally {
            loops.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_loop_that_closes_does_not_spin_while_it_waits(Loops kind) throws Exception {
        var handlers = new Handlers<>(Stubborn::new);
        var loops = kind.start(1);
        try (var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), handlers);
                var peer = RawPeer.of(server)) {
            peer.send("x");
            var busy = handlers.next();
            busy.began.await();
            long before = loops.counters().getFirst().turns();
            loops.close();
            long turns = loops.counters().getFirst().turns() - before;
            assertTrue(turns < 10_000, () -> turns + " turns");
            busy.goOn.countDown();
            busy.closed.get();
        } finally {
            loops.close();
        }
    }

    @Test
    void a_handler_that_waits_for_a_worker_in_vain_hears_of_the_end_and_of_nothing_else() throws Exception {
        var handlers = new Handlers<>(Stubborn::new);
        var loops = Loops.NIO.start(1);
        try (var server = Tcp.listen(local(loops).dispatch(Dispatch.pool(1)), handlers);
                var one = RawPeer.of(server);
                var other = RawPeer.of(server);
                var silent = RawPeer.of(server)) {
            one.send("x");
            var busy = handlers.next();
            busy.began.await();
            other.send("x");
            until(() -> loops.counters().getFirst().bytesReceived() == 2);
            var waiting = List.of(handlers.next(), handlers.next());
            loops.close();
            for (var handler : waiting) {
                handler.closed.get();
                assertEquals(List.of("close"), handler.callsSoFar());
            }
            silent.assertReset();
            busy.goOn.countDown();
            busy.closed.get();
        } finally {
            loops.close();
        }
    }
}
