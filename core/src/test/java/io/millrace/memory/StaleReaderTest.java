package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Underflow;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Code that keeps an input and goes on using it on a thread of its own, while the loop lends it again and again.
class StaleReaderTest {
    private static final int LOANS = 20_000;
    private static final Bytes WANTED = Bytes.of((byte) 1, (byte) 2);

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);
    private final AtomicBoolean isOver = new AtomicBoolean();

    @Test
    void who_only_looks_disturbs_nobody() throws InterruptedException, ExecutionException {
        hammer(StaleReaderTest::look, this::lendAndRead);
        input.release();
        assertEquals(0, pool.missing());
    }

    @Test
    void who_consumes_gets_exceptions_and_ends_nothing_but_his_own_connection()
            throws InterruptedException, ExecutionException {
        hammer(StaleReaderTest::consume, () -> tolerant(ignored -> lendAndSkip()));
    }

    private void hammer(Consumer<Input> stale, Runnable loan) throws InterruptedException, ExecutionException {
        try (var threads = Executors.newSingleThreadExecutor()) {
            var refusals = threads.submit(() -> {
                long count = 0;
                while (!isOver.get()) count += tolerant(stale);
                return count;
            });
            try {
                for (int i = 0; i < LOANS; i++) loan.run();
            } finally {
                isOver.set(true);
            }
            assertTrue(refusals.get() >= 0);
        }
    }

    /// What a documented exception is; anything else fails the test.
    private int tolerant(Consumer<Input> use) {
        try {
            use.accept(input);
            return 0;
        } catch (IllegalStateException | Underflow | IndexOutOfBoundsException | AssertionError _) {
            return 1;
        }
    }

    private void lendAndRead() {
        byte[] bytes = Arrivals.count(300);
        input.appendAll(Arrivals.chain(pool, bytes, 100, 200));
        input.lend(pool);
        assertArrayEquals(bytes, input.readBytes(300).toArray());
        assertEquals(0, input.remaining());
        input.endLoan(pool);
    }

    private void lendAndSkip() {
        input.appendAll(Arrivals.chain(pool, Arrivals.count(300), 100, 200));
        input.lend(pool);
        input.skip(250);
        input.endLoan(pool);
    }

    private static void look(Input in) {
        in.peekByte(150);
        in.peekShort(99);
        in.peekInt(198);
        in.peekLong(96);
        in.indexOf((byte) 77);
        in.indexOf(WANTED, 50);
        assertTrue(in.remaining() >= 0);
    }

    private static void consume(Input in) {
        in.readLong();
        in.skip(90);
        in.readBytes(120);
        in.readUtf8(30);
        in.read(new byte[10], 0, 10);
    }
}
