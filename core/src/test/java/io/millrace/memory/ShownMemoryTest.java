package io.millrace.memory;

import static io.millrace.memory.Arrivals.bytes;
import static io.millrace.memory.Arrivals.count;
import static io.millrace.memory.Arrivals.lent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Underflow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Memory of slabs that parts of the JDK read and write where it is.
class ShownMemoryTest {
    private final SlabPool pool = new SlabPool(4 << 20, true);
    private final LoopOutput output = LoopOutput.aside(pool);

    @AfterEach
    void every_slab_comes_home() {
        output.release();
        assertEquals(0, pool.missing());
    }

    private static LoopOutput.Filler putting(int length) {
        return room -> room.put(count(length));
    }

    // Written.

    @Test
    void what_is_put_into_the_room_is_written() throws IOException {
        assertEquals(10_000, output.fill(16_000, putting(10_000)));
        assertEquals(10_000, output.size());
        assertArrayEquals(count(10_000), bytes(output.chain()));
    }

    @Test
    void the_next_goes_behind_it_while_there_is_room() throws IOException {
        for (int i = 0; i < 3; i++) assertEquals(16_384, output.fill(16_385, putting(16_384)));
        assertEquals(1, output.chain().count());
        assertArrayEquals(count(16_384), Arrays.copyOfRange(bytes(output.chain()), 32_768, 49_152));
    }

    @Test
    void where_there_is_some_room_but_too_little_nobody_is_asked() throws IOException {
        for (int i = 0; i < 3; i++) output.fill(16_385, putting(16_384));
        assertEquals(-1, output.fill(16_385, _ -> {
            throw new AssertionError("it was asked");
        }));
        output.write(count(16_384), 0, 16_384);
        assertEquals(1, output.chain().count());
        assertEquals(1, output.fill(16_385, putting(1)));
        assertEquals(2, output.chain().count());
    }

    @Test
    void nothing_is_asked_while_memory_is_tight() throws IOException {
        var hog = LoopOutput.aside(pool);
        while (!pool.isTight()) hog.write(new byte[1 << 16], 0, 1 << 16);
        assertEquals(-1, output.fill(16_385, putting(1)));
        hog.release();
    }

    @Test
    void a_value_that_was_referred_to_is_not_written_into() throws IOException {
        var value = Bytes.of(count(Bytes.BY_REFERENCE));
        output.write(value);
        assertEquals(5000, output.fill(6000, putting(5000)));
        assertEquals(2, output.chain().count());
        assertArrayEquals(count(Bytes.BY_REFERENCE), value.toArray());
    }

    @Test
    void who_puts_nothing_leaves_no_slab_behind() throws IOException {
        assertEquals(0, output.fill(16_385, putting(0)));
        assertTrue(output.chain().isEmpty());
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void what_was_put_before_a_failure_is_not_written() {
        LoopOutput.Filler failing = room -> {
            room.put(count(100));
            throw new IOException("broken");
        };
        assertThrows(IOException.class, () -> output.fill(16_385, failing));
        assertEquals(0, output.size());
        output.writeByte(1);
        assertThrows(IOException.class, () -> output.fill(1000, failing));
        assertArrayEquals(new byte[] {1}, bytes(output.chain()));
    }

    // Read.

    @Test
    void bytes_are_shown_where_they_are_and_stay() {
        var input = lent(pool, count(100), 10, 60);
        var parts = new ByteBuffer[3];
        assertEquals(3, input.view(80, parts));
        var seen = ByteBuffer.allocate(80);
        for (var part : parts) seen.put(part);
        assertArrayEquals(count(80), seen.array());
        assertEquals(100, input.remaining());
        input.release();
    }

    @Test
    void those_in_more_places_than_there_are_buffers_are_not_shown() {
        var input = lent(pool, count(100), 10, 60);
        assertEquals(0, input.view(80, new ByteBuffer[2]));
        assertEquals(2, input.view(60, new ByteBuffer[2]));
        input.release();
    }

    @Test
    void more_than_there_is_cannot_be_shown() {
        var input = lent(pool, count(100));
        assertThrows(Underflow.class, () -> input.view(101, new ByteBuffer[2]));
        input.release();
    }

    @Test
    void a_slab_that_was_begun_is_shown_from_there() {
        var input = lent(pool, count(100));
        input.skip(40);
        var parts = new ByteBuffer[1];
        assertEquals(1, input.view(60, parts));
        var seen = new byte[60];
        parts[0].get(seen);
        assertArrayEquals(Arrays.copyOfRange(count(100), 40, 100), seen);
        input.release();
    }
}
