package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.sim.Simulation;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An input and an output against plain arrays that do the same in the obvious way: random arrivals, cut into
/// slabs at random places, random loans, reads, writes and moves, and a kernel that takes random parts.
@Tag("shipping")
@Tag("simulation")
class BytesModelTest {
    private static final int STEPS = 120;

    @Test
    @Timeout(300) // a mistake in a chain can be a circle
    void what_is_read_is_what_arrived_and_what_is_sent_is_what_was_written() {
        Simulation.forEachSeed(1_000, network -> play(new Random(network.seed())));
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
