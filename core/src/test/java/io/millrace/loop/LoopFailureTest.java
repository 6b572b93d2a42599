package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.SlabPool;
import io.millrace.transport.Nio;
import java.io.IOException;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
                String.valueOf(failure.getMessage()).contains("1 slabs did not come home"),
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
        while (!loop.isClosed()) Thread.onSpinWait();
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        var failure = assertThrows(IllegalStateException.class, loops::close);
        assertEquals(
                "the event loop test was broken: java.util.NoSuchElementException: no time",
                String.valueOf(failure.getMessage()));
    }

    private ThreadedLoops start() throws IOException {
        return new ThreadedLoops(1, "test", true, Duration.ZERO, _ -> {
            var pool = new SlabPool(16 << 20, true);
            return new EventLoop("test", new Nio(pool), pool, this::nanos, true);
        });
    }

    private long nanos() {
        if (clockFails.getAndSet(false)) throw new NoSuchElementException("no time");
        return System.nanoTime();
    }
}
