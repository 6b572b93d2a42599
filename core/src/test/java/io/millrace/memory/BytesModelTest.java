package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An input and an output against plain arrays that do the same in the obvious way: random arrivals, cut into
/// slabs at random places, random loans, reads, writes and moves, and a kernel that takes random parts.
@Tag("simulation")
class BytesModelTest {
    private static final int SEEDS = Integer.getInteger("millrace.seeds", 1_000);
    private static final int STEPS = 120;

    @Test
    @Timeout(300) // a mistake in a chain can be a circle
    void what_is_read_is_what_arrived_and_what_is_sent_is_what_was_written() {
        seeds().forEach(seed -> {
            try {
                play(new Random(seed));
            } catch (Throwable failure) {
                throw new AssertionError("replay with -Dmillrace.seed=" + seed, failure);
            }
        });
    }

    private static LongStream seeds() {
        String seed = System.getProperty("millrace.seed");
        return seed == null ? LongStream.range(0, SEEDS) : LongStream.of(Long.parseLong(seed));
    }

    private static void play(Random random) {
        var pool = new SlabPool(64 << 20, true);
        var input = new InputModel(pool, random);
        var output = new OutputModel(pool, random);
        for (int i = 0; i < STEPS; i++) {
            switch (random.nextInt(10)) {
                case 0, 1 -> input.arrive();
                case 2 -> input.lendAgain();
                case 3, 4 -> input.read();
                case 5 -> input.readFrame();
                case 6, 7 -> output.write();
                case 8 -> input.moveTo(output);
                default -> output.send();
            }
            input.check();
            output.check();
        }
        input.readAll();
        output.sendAll();
        assertEquals(0, pool.missing());
        assertEquals(0, pool.bytesOut());
    }
}
