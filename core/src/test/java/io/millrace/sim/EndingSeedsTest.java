package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.Tunnel;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Everything may be stopped at any moment.
@Tag("simulation")
class EndingSeedsTest {
    @Test
    void loops_may_close_at_any_moment() {
        Simulation.forEachSeed(200, SimulationSettings.standard().carriers(0.7), network -> {
            serve(network);
            Talk.ramble(network, Talk.some(network, 7));
            network.loops().close();
            assertTrue(network.loops().counters().stream().allMatch(loop -> loop.slabBytesInUse() == 0));
        });
    }

    @Test
    void a_server_may_close_at_any_moment() {
        Simulation.forEachSeed(200, SimulationSettings.standard().carriers(0.7), network -> {
            var server = serve(network);
            var talks = Talk.some(network, 7);
            Talk.ramble(network, talks);
            server.close();
            assertEquals(0, server.connections());
            network.run();
            talks.forEach(Talk::assertPrefixEchoed);
            for (var talk : talks) assertFalse(talk.peer.isOpen() && !talk.peer.isEnded());
        });
    }

    @Test
    void a_server_may_drain_at_any_moment() {
        Simulation.forEachSeed(200, SimulationSettings.standard().carriers(0.7), network -> {
            var server = serve(network);
            var talks = Talk.some(network, 7);
            Talk.ramble(network, talks);
            var before = network.now();
            var patience = Duration.ofSeconds(network.random(5));
            boolean isDone = server.drain(patience);
            assertTrue(isDone || network.now().minus(before).compareTo(patience) >= 0);
            assertEquals(0, server.connections());
            network.run();
            talks.forEach(Talk::assertBeginningEchoed);
        });
    }

    /// An echo of some kind.
    private static Server serve(Simulation network) {
        return switch (network.random(4)) {
            case 0 -> network.serve(7, EchoSeedsTest.DIRECT_ECHO);
            case 1 -> {
                network.serve(8, EchoSeedsTest.DIRECT_ECHO);
                yield network.listen(7, Tunnel.to(Simulation.address(8)).upstreamLoops(network.loops()));
            }
            case 2 -> {
                network.listen(8, EchoSeedsTest.ECHO);
                yield network.listen(7, Tunnel.to(Simulation.address(8)));
            }
            default -> Tcp.listen(network.on(7).dispatch(MoodSeedsTest.anyDispatch(network)), EchoSeedsTest.ECHO);
        };
    }
}
