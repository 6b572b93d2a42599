package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Attacks and honest clients on one server, on networks with delays of a few milliseconds: an attack has ended within
/// a second, and an honest client is answered within 100 ms at any moment of it.
@Tag("simulation")
class Http2BesideAttacksTest {
    private static final int SEEDS = 4;
    private static final Duration ANSWER = Duration.ofMillis(100);
    private static final Duration END = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource
    void an_honest_client_is_answered_beside(Attack attack) {
        Simulation.forEachSeed(SEEDS, network -> {
            network.delays(Duration.ofNanos(1_000), Duration.ofMillis(5)).buffers(64 << 10, 1 << 20);
            network.chunks(100, 64 << 10);
            try (var _ = SimulatedApp.serve(network)) {
                var honest = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT);
                var attackers = new SimulatedHttp2Peer[1 + network.random(3)];
                for (int i = 0; i < attackers.length; i++)
                    attackers[i] = SimulatedHttp2Peer.connect(network, SimulatedApp.PORT);
                network.advance(ANSWER);
                honest.pump();
                var end = network.now().plus(END);
                for (var attacker : attackers) attacker.send(attack.frames());
                while (network.now().compareTo(end) < 0) assertAnswered(network, honest, attack);
                for (var attacker : attackers) assertEnded(attacker, attack);
                assertAnswered(network, honest, attack);
            }
        });
    }

    private static void assertAnswered(Simulation network, SimulatedHttp2Peer honest, Attack attack) {
        int n = network.random(3_000);
        int id = honest.get("/now?n=" + n);
        network.advance(ANSWER);
        honest.pump();
        var stream = honest.stream(id);
        assertTrue(stream.hasEnded, () -> attack + ": " + honest.got);
        assertEquals(n, stream.bodyBytes());
    }

    private static void assertEnded(SimulatedHttp2Peer attacker, Attack attack) {
        attacker.pump();
        boolean isOver = attacker.peer.isReset() || attacker.peer.isEnded();
        assertTrue(isOver, () -> attack + ": " + attacker.got);
    }
}
