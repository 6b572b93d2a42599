package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session DIRECT_ECHO = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    @Test
    void a_callback_handler_answers_a_peer() {
        try (var network = new Simulation(42)) {
            network.listen(7, ECHO);
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
            assertTrue(peer.isEnded());
        }
    }

    @Test
    void a_session_answers_a_peer() {
        try (var network = new Simulation(42)) {
            network.serve(7, DIRECT_ECHO);
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
            assertTrue(peer.isEnded());
        }
    }

    @Test
    void a_session_without_carriers_answers_a_peer() {
        try (var network = new Simulation(42).carriers(false)) {
            network.serve(7, DIRECT_ECHO);
            var peer = network.connect(7).send("hello").end();
            network.run();
            assertEquals("hello", peer.received());
            assertTrue(peer.isEnded());
        }
    }

    @Test
    void same_seed() {
        Simulation.forEachSeed(100, network -> {
            network.listen(7, ECHO);
            var bytes = network.randomBytes(10000);
            var peer = network.connect(7).send(bytes).end();
            network.run();
            assertEquals(bytes.length, peer.receivedCount());
        });
    }
}
