package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.EventLoop;
import io.millrace.loop.ThreadedLoops;
import io.millrace.memory.SlabPool;
import io.millrace.net.HandlerFactory;
import io.millrace.net.LoopBroken;
import io.millrace.os.CallSite;
import io.millrace.os.Faults;
import io.millrace.transport.Nio;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A loop that cannot go on: everybody who waits for it hears of that, and nothing of it is left behind.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BrokenLoopTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    /// From now on there is no time any more, on the thread of this name; or no wait.
    private static volatile String broken = "";

    enum Way {
        /// Its clock throws, whatever it does.
        NIO {
            @Override
            EventLoops start(int threads) {
                try {
                    return new EventLoops(new ThreadedLoops(
                            threads, "millrace", false, 0, Duration.ZERO, BrokenLoopTest::withoutTime));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            void breakLoop(String name) {
                broken = name;
            }
        },
        /// The kernel refuses each wait.
        EPOLL {
            @Override
            EventLoops start(int threads) {
                return FaultyLoops.EPOLL.start(threads);
            }

            @Override
            void breakLoop(String name) {
                refuse(CallSite.ofEpoll(), "epoll_pwait", name);
            }
        },
        URING {
            @Override
            EventLoops start(int threads) {
                return FaultyLoops.URING.start(threads);
            }

            @Override
            void breakLoop(String name) {
                refuse(CallSite.ofUring(), "io_uring_enter", name);
            }
        };

        abstract EventLoops start(int threads);

        abstract void breakLoop(String name);
    }

    private static void refuse(Stream<CallSite> sites, String what, String thread) {
        int number = sites.filter(site -> site.name().equals(what))
                .findFirst()
                .orElseThrow()
                .number();
        int noSuchDescriptor = 9;
        Faults.plan(
                called -> called == number && Thread.currentThread().getName().equals(thread) ? noSuchDescriptor : 0);
    }

    private static EventLoop withoutTime(int index) throws IOException {
        var pool = new SlabPool(16 << 20, true);
        return new EventLoop("millrace-" + index, new Nio(pool), pool, BrokenLoopTest::nanos, true);
    }

    private static long nanos() {
        if (Thread.currentThread().getName().equals(broken)) throw new NoSuchElementException("no time");
        return System.nanoTime();
    }

    /// Ends the wait of a loop that breaks at its next one, unless it was about something and has broken already.
    private static void wake(Executor loop) {
        try {
            loop.execute(() -> {});
        } catch (RejectedExecutionException e) {
            assertTrue(String.valueOf(e.getMessage()).endsWith("is closed"), e::toString);
        }
    }

    @AfterEach
    void noMore() {
        broken = "";
        Faults.plan(null);
    }

    @ParameterizedTest
    @EnumSource
    void everybody_who_waits_for_it_hears_of_it(Way way) throws Exception {
        Proc.assumeIsThere();
        warmUp(way);
        long descriptors = Proc.descriptors();
        var handlers = Handlers.heard();
        try (var loops = way.start(1)) {
            var server = Tcp.listen(local(loops), handlers);
            var peer = RawPeer.of(server).send("x");
            var heard = handlers.next();
            heard.calls.take();
            var client = Tcp.connect(Connect.to(server.address()).loops(loops));
            var told = new CompletableFuture<LoopBroken>();
            loops.broken().thenAccept(told::complete);
            var waiting = Stream.<Callable<?>>of(
                            () -> {
                                server.await();
                                return "";
                            },
                            client::read,
                            () -> Tcp.connect(Connect.to(server.address()).loops(loops))
                                    .read())
                    .map(BrokenLoopTest::started)
                    .toList();
            var connected = handlers.next();
            handlers.next();
            way.breakLoop("millrace-0");
            wake(loops.next());

            for (var each : waiting) {
                var failure = assertThrows(ExecutionException.class, each::get);
                var cause = requireNonNull(failure.getCause());
                assertTrue(cause instanceof LoopBroken || cause instanceof IOException, cause::toString);
            }
            assertTrue(String.valueOf(told.get().getMessage()).contains("millrace-0"), () -> "" + told.join());
            assertEquals("Reset: the event loop of this connection was closed", heard.closed.get());
            connected.closed.get();
            peer.assertReset();
            peer.close();
            assertThrows(LoopBroken.class, server::await);
            assertThrows(RejectedExecutionException.class, () -> loops.next().execute(() -> {}));
            assertThrows(
                    IllegalStateException.class, () -> heard.conn.options().get(StandardSocketOptions.TCP_NODELAY));
            server.drain(Duration.ofSeconds(10));
            server.close();
            var failure = assertThrows(LoopBroken.class, loops::close);
            assertEquals(told.join().getMessage(), failure.getMessage());
        }
        until(() -> Proc.descriptors() <= descriptors);
    }

    @ParameterizedTest
    @EnumSource
    void the_other_loops_go_on_and_get_what_is_new(Way way) throws Exception {
        var loops = way.start(2);
        try (var others = Loops.NIO.start(1);
                var server = Tcp.listen(local(others), ECHO)) {
            way.breakLoop("millrace-1");
            var last = loops.all().getLast();
            wake(last);
            var told = new CompletableFuture<LoopBroken>();
            loops.broken().thenAccept(told::complete);
            told.get();
            for (int i = 0; i < 8; i++) {
                assertEquals(loops.all().getFirst(), loops.next());
                try (var client = Tcp.connect(Connect.to(server.address()).loops(loops))) {
                    client.output().writeUtf8("x");
                    assertTrue(client.read());
                    client.input().skip(1);
                }
            }
        } finally {
            assertThrows(LoopBroken.class, loops::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_was_closed_is_waited_for_without_a_failure(Way way) throws Exception {
        try (var loops = way.start(1)) {
            var server = Tcp.listen(local(loops), ECHO);
            var waiting = started(() -> {
                server.await();
                return "closed";
            });
            server.close();
            assertEquals("closed", waiting.get());
        }
    }

    /// It may be about to begin to wait, or wait already.
    private static <T> FutureTask<T> started(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    /// A JVM opens files of its own meanwhile.
    private static void warmUp(Way way) throws Exception {
        try (var loops = way.start(1);
                var server = Tcp.listen(local(loops), ECHO);
                var peer = RawPeer.of(server);
                var client = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            peer.send("x").assertReads("x");
            client.output().writeUtf8("x");
            assertTrue(client.read());
            client.input().skip(1);
        }
    }
}
