package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// A body whose reads happen when the test says so, seeds decide in which order.
class FileBodyTest {
    private static final int SEEDS = 300;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final ArrayDeque<Runnable> reads = new ArrayDeque<>();
    private int news;

    /// A file of so many bytes, each that of its place; a read may bring less than was asked for.
    private static final class Disk extends ScriptedFile {
        private final Random random;
        private final long length;

        Disk(Random random, long length) {
            this.random = random;
            this.length = length;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            if (!isOpen()) throw new IOException("read behind its end");
            if (position >= length) return -1;
            int most = (int) Math.min(to.remaining(), length - position);
            int count = random.nextBoolean() ? most : 1 + random.nextInt(most);
            for (int i = 0; i < count; i++) to.put(at(position++));
            return count;
        }
    }

    private static byte at(long place) {
        return (byte) (place * 31 + (place >> 9));
    }

    private FileBody body(Disk disk, long from, long length) {
        var body = new FileBody(Path.of("/a"), disk, from, length, reads::add);
        body.opened(() -> news++);
        return body;
    }

    /// What the body writes until it has nothing.
    private boolean pull(FileBody body, ByteArrayOutputStream to) throws IOException {
        var out = LoopOutput.aside(pool);
        try {
            boolean hasMore = body.write(out);
            to.writeBytes(out.toBytes().toArray());
            return hasMore;
        } finally {
            out.release();
        }
    }

    private void assertAllIsHome() {
        assertEquals(0, pool.bytesOut(), "bytes of slabs that did not come home");
    }

    /// The system has none left.
    @Test
    void a_read_that_no_thread_takes_fails_and_leaves_nothing_open() {
        var disk = new Disk(new Random(1), 1000);
        var body = new FileBody(Path.of("/a"), disk, 0, 1000, _ -> {
            throw new OutOfMemoryError("unable to create native thread, as told");
        });
        assertThrows(OutOfMemoryError.class, () -> pull(body, new ByteArrayOutputStream()));
        body.onClose();
        assertFalse(disk.isOpen());
        assertAllIsHome();
    }

    @Test
    void a_body_comes_whole_and_in_order_whenever_it_is_read() throws IOException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            var random = new Random(seed);
            long from = random.nextInt(200_000);
            int length = random.nextInt(300_000);
            var disk = new Disk(random, from + length + random.nextInt(10));
            var body = body(disk, from, length);
            if (random.nextBoolean()) body.begin(pool.reserve());
            var got = new ByteArrayOutputStream();
            boolean hasMore = true;
            while (hasMore) {
                int before = got.size();
                hasMore = pull(body, got);
                assertTrue(reads.size() <= 1, "one read at a time");
                boolean isToWait = hasMore && got.size() == before;
                assertFalse(isToWait && reads.isEmpty(), "it waits for nobody");
                // It may be asked again before the read is done, which changes nothing.
                if (!reads.isEmpty() && random.nextBoolean()) reads.remove().run();
            }
            body.onClose();
            assertEquals(length, got.size(), "seed " + seed);
            var bytes = got.toByteArray();
            for (int i = 0; i < length; i++) if (bytes[i] != at(from + i)) throw new AssertionError("seed " + seed);
            assertFalse(disk.isOpen());
            assertAllIsHome();
        }
    }

    @Test
    void one_that_is_closed_at_any_moment_gives_everything_back() throws IOException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            var random = new Random(seed);
            var disk = new Disk(random, 500_000);
            var body = body(disk, 0, 500_000);
            if (random.nextBoolean()) body.begin(pool.reserve());
            var got = new ByteArrayOutputStream();
            for (int i = random.nextInt(8); i > 0; i--) {
                pull(body, got);
                if (!reads.isEmpty() && random.nextInt(4) > 0) reads.remove().run();
            }
            body.onClose();
            int told = news;
            boolean isBeingRead = !reads.isEmpty();
            assertEquals(isBeingRead, disk.isOpen(), "seed " + seed + ": a read that is under way needs it");
            if (isBeingRead) reads.remove().run();
            assertEquals(told, news, "nobody is told behind the end");
            assertFalse(disk.isOpen());
            assertAllIsHome();
        }
    }

    @Test
    void one_that_became_shorter_fails_behind_what_is_left_of_it() throws IOException {
        var disk = new Disk(new Random(1), 100_000);
        var body = body(disk, 0, 200_000);
        var got = new ByteArrayOutputStream();
        var failure = assertThrows(EOFException.class, () -> {
            while (pull(body, got)) if (!reads.isEmpty()) reads.remove().run();
        });
        assertTrue(String.valueOf(failure.getMessage()).contains("/a ends at 100000 of 200000"), failure::toString);
        assertEquals(100_000, got.size());
        body.onClose();
        assertFalse(disk.isOpen());
        assertAllIsHome();
    }
}
