package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Underflow;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Code that keeps an input and goes on using it on a thread of its own, while the loop lends it again and again: it
/// gets nothing but exceptions, and disturbs nobody.
class StaleReaderTest {
    private static final int LOANS = 20_000;
    private static final Bytes WANTED = Bytes.of((byte) 1, (byte) 2);

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);
    private final AtomicBoolean isOver = new AtomicBoolean();

    @Test
    void who_only_looks_gets_nothing() throws InterruptedException, ExecutionException {
        hammer(List.of(
                in -> in.peekByte(150),
                in -> in.peekShort(99),
                in -> in.peekInt(198),
                in -> in.peekLong(96),
                in -> in.indexOf((byte) 77),
                in -> in.indexOf(WANTED, 50)));
    }

    @Test
    void who_consumes_gets_nothing() throws InterruptedException, ExecutionException {
        hammer(List.of(
                in -> in.readLong(),
                in -> in.skip(90),
                in -> in.readBytes(120),
                in -> in.readUtf8(30),
                in -> in.read(new byte[10], 0, 10)));
    }

    private void hammer(List<Consumer<Input>> uses) throws InterruptedException, ExecutionException {
        try (var threads = Executors.newSingleThreadExecutor()) {
            var successes = threads.submit(() -> {
                long count = 0;
                while (!isOver.get()) {
                    for (var use : uses) count += succeeds(use);
                }
                return count;
            });
            try {
                for (int i = 0; i < LOANS; i++) lendAndRead();
            } finally {
                isOver.set(true);
            }
            assertEquals(0, successes.get());
        }
        input.release();
        assertEquals(0, pool.missing());
    }

    /// Anything but the documented exceptions fails the test.
    private int succeeds(Consumer<Input> use) {
        try {
            use.accept(input);
            return 1;
        } catch (IllegalStateException | Underflow | IndexOutOfBoundsException _) {
            return 0;
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
}
