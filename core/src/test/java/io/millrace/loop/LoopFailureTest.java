package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.SlabPool;
import io.millrace.net.Loop;
import io.millrace.testing.Waiting;
import io.millrace.transport.Nio;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What goes wrong on a loop's own thread does not end with that thread: closing the loops throws it.
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopFailureTest {
    private final AtomicBoolean clockFails = new AtomicBoolean();

    @Tag("asserts")
    @Test
    void a_slab_that_does_not_come_home_fails_the_close() throws IOException {
        var loops = start();
        var loop = loops.loops().getFirst();
        loops.call(loop, () -> loop.pool().takeForReceive());
        var failure = assertThrows(IllegalStateException.class, loops::close);
        assertTrue(
                String.valueOf(failure.getMessage()).contains("1 slabs were not returned"),
                String.valueOf(failure.getMessage()));
    }

    @Test
    void an_assertion_that_fails_in_a_task_fails_the_close() throws IOException {
        var loops = start();
        loops.loops().getFirst().execute(() -> {
            throw new AssertionError("as told");
        });
        var failure = assertThrows(IllegalStateException.class, loops::close);
        assertEquals(
                "the event loop test was broken: java.lang.AssertionError: as told",
                String.valueOf(failure.getMessage()));
    }

    @Test
    void a_loop_that_breaks_is_closed_and_says_so() throws IOException {
        var loops = start();
        var loop = loops.loops().getFirst();
        clockFails.set(true);
        loop.execute(() -> {});
        while (!loop.isClosed()) Waiting.briefly();
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        var failure = assertThrows(IllegalStateException.class, loops::close);
        assertEquals(
                "the event loop test was broken: java.util.NoSuchElementException: no time",
                String.valueOf(failure.getMessage()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void an_attempt_to_connect_hears_of_the_end_whenever_it_comes_in(int tasksLater) throws IOException {
        try (var nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var pool = new SlabPool(16 << 20, true);
            var loop = new EventLoop("test", new Nio(pool), pool, System::nanoTime, true);
            loop.adoptThread();
            var told = new ArrayList<String>();
            later(loop, tasksLater, () -> connect(loop, nobody.getLocalSocketAddress(), told));
            loop.close(0);
            loop.leaveThread();
            assertEquals(1, told.size(), told::toString);
        }
    }

    @Test
    void what_waits_for_its_time_hears_of_the_end_whenever_it_comes_in() throws IOException {
        var pool = new SlabPool(16 << 20, true);
        var loop = new EventLoop("test", new Nio(pool), pool, System::nanoTime, true);
        var told = new ArrayList<String>();
        loop.adoptThread();
        await(loop, told, "before");
        await(loop, told, "cancelled").cancel();
        later(loop, 3, () -> await(loop, told, "meanwhile"));
        loop.close(0);
        await(loop, told, "after");
        loop.leaveThread();
        await(loop, told, "elsewhere");
        assertEquals(List.of("before", "meanwhile", "after", "elsewhere"), told);
    }

    private static Loop.Timer await(EventLoop loop, List<String> told, String name) {
        return loop.after(Duration.ofHours(1), () -> told.add("fired"), () -> told.add(name));
    }

    private static void later(EventLoop loop, int tasks, Runnable work) {
        if (tasks == 0) work.run();
        else loop.returned(() -> later(loop, tasks - 1, work));
    }

    private static void connect(EventLoop loop, SocketAddress to, List<String> told) {
        var settings = new ConnectionSettings();
        var race = new Race(loop, settings, new SocketOptions(Map.of()), null, List.of(to), new Connector.Attempt() {
            @Override
            public void opened(TcpConnection connection) {
                told.add("opened");
            }

            @Override
            public void failed(IOException cause) {
                told.add("failed: " + cause.getMessage());
            }

            @Override
            public void closed(TcpConnection connection, boolean wasOpen, @Nullable IOException cause) {}
        });
        race.start();
    }

    private ThreadedLoops start() throws IOException {
        return new ThreadedLoops(1, "test", true, 0, Duration.ZERO, _ -> {
            var pool = new SlabPool(16 << 20, true);
            return new EventLoop("test", new Nio(pool), pool, this::nanos, true);
        });
    }

    private long nanos() {
        if (clockFails.getAndSet(false)) throw new NoSuchElementException("no time");
        return System.nanoTime();
    }
}
