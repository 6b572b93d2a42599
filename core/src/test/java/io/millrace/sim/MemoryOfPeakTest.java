package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.LoopCounters;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a peak took is given back when it is over, and then the loop is left alone.
@Tag("shipping")
class MemoryOfPeakTest {
    private static final int PEERS = 100;
    private static final int BYTES = 100_000;

    @Test
    void the_memory_of_a_peak_is_given_back_and_the_idle_loop_sleeps() {
        try (var network = new Simulation(1, SimulationSettings.standard().memory(32 << 20))) {
            network.listen(7, conn -> in -> {
                in.skip(in.remaining());
                conn.output().write(new byte[BYTES], 0, BYTES);
            });
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < PEERS; i++) {
                var peer = network.connect(7);
                peer.pause();
                peer.send("go");
                peers.add(peer);
            }
            network.run();
            long peak = counters(network).slabBytesHeld();
            assertTrue(peak > 5 << 20, peak + " bytes at the peak");
            for (var peer : peers) peer.resume();
            network.advance(Duration.ofSeconds(40));
            var after = counters(network);
            assertTrue(after.slabBytesHeld() < 3 << 20, after.slabBytesHeld() + " bytes after " + peak);
            assertEquals(0, after.timers());
            network.advance(Duration.ofHours(1));
            long turns = counters(network).turns() - after.turns();
            assertTrue(turns < 5, turns + " turns in an hour");
        }
    }

    private static LoopCounters counters(Simulation network) {
        return network.loops().counters().getFirst();
    }
}
