package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How long a connection that has closed waits for the end of its peer, which would lose what is on its way if it
/// were reset.
@Tag("simulation")
class LingerTest {
    private static final int PORT = 80;
    private static final int SEEDS = 20;
    private static final int LENGTH = 100_000;
    private static final Duration HALF_SECOND = Duration.ofMillis(500);

    /// Answers the first byte, and closes.
    private record Answering(Connection connection) implements Handler {
        @Override
        public void onInput(Input in) {
            in.skip(in.remaining());
            connection.output().write(new byte[LENGTH], 0, LENGTH);
            connection.close();
        }
    }

    /// A network that needs ten seconds for the answer, most of which is in its buffers by then.
    private static Simulation slow(Simulation network) {
        return network.bandwidth(LENGTH / 10).buffers(2 * LENGTH, 2 * LENGTH);
    }

    @Test
    void a_peer_that_takes_what_was_sent_slowly_and_says_so_gets_all_of_it() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = slow(network).listen(PORT, Answering::new)) {
                var peer = network.connect(PORT).send("x");
                for (int i = 0; i < 40 && !peer.isEnded() && !peer.isReset(); i++) {
                    network.advance(HALF_SECOND);
                    peer.send("taken");
                }
                assertFalse(peer.isReset(), peer::toString);
                assertEquals(LENGTH, peer.receivedCount());
                peer.end();
                network.advance(HALF_SECOND);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_peer_that_sends_for_ever_is_left_after_half_a_minute() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = slow(network).listen(PORT, Answering::new)) {
                var peer = network.connect(PORT).send("x");
                for (int i = 0; i < 100; i++) {
                    network.advance(HALF_SECOND);
                    if (peer.isOpen()) peer.send("taken");
                }
                assertTrue(peer.isReset(), peer::toString);
                assertEquals(0, server.connections());
            }
        });
    }

    @Test
    void a_peer_that_sends_much_is_left_after_a_second() {
        Simulation.forEachSeed(SEEDS, network -> {
            try (var server = network.listen(PORT, Answering::new)) {
                var peer = network.connect(PORT).send("x");
                for (int i = 0; i < 30 && server.connections() > 0; i++) {
                    network.advance(Duration.ofMillis(100));
                    if (peer.isOpen()) peer.send(new byte[LENGTH]);
                }
                assertEquals(0, server.connections());
            }
        });
    }
}
