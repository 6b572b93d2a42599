package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.net.Reset;
import io.millrace.net.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Connections that die at any point take nothing with them: memory comes home, every handler hears of it once,
/// and what had arrived was right.
@Tag("shipping")
@Tag("simulation")
class FaultSeedsTest {
    @Test
    void handlers_on_the_loop_survive_resets() {
        Simulation.forEachSeed(150, network -> assertHandlersSurvive(network, Dispatch.loop()));
    }

    @Test
    void handlers_on_a_pool_survive_resets() {
        Simulation.forEachSeed(150, network -> assertHandlersSurvive(network, Dispatch.pool(2)));
    }

    @Test
    void handlers_on_virtual_threads_survive_resets() {
        Simulation.forEachSeed(150, network -> assertHandlersSurvive(network, Dispatch.virtual()));
    }

    @Test
    void handlers_on_virtual_threads_without_carriers_survive_resets() {
        Simulation.forEachSeed(
                50,
                SimulationSettings.standard().carriers(0),
                network -> assertHandlersSurvive(network, Dispatch.virtual()));
    }

    @Test
    void sessions_survive_resets() {
        Simulation.forEachSeed(150, network -> assertSessionsSurvive(network));
    }

    @Test
    void sessions_without_carriers_survive_resets() {
        Simulation.forEachSeed(
                150, SimulationSettings.standard().carriers(0), network -> assertSessionsSurvive(network));
    }

    private static void assertHandlersSurvive(Simulation network, Dispatch dispatch) {
        var handlers = Watched.handlers(EchoSeedsTest.ECHO);
        var server = Tcp.listen(network.resets(0.5).on(7).dispatch(dispatch), handlers);
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        Talk.giveUp(network, talks);
        talks.forEach(Talk::assertPrefixEchoed);
        assertEquals(0, handlers.open());
        assertEquals(0, server.connections());
    }

    private static void assertSessionsSurvive(Simulation network) {
        var count = new int[1];
        Session counted = conn -> {
            count[0]++;
            try {
                EchoSeedsTest.DIRECT_ECHO.run(conn);
            } catch (UncheckedIOException e) {
                assertInstanceOf(Reset.class, e.getCause());
            } catch (IOException e) {
                assertInstanceOf(Reset.class, e);
            } finally {
                count[0]--;
            }
        };
        var server = network.resets(0.5).serve(7, counted);
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        Talk.giveUp(network, talks);
        talks.forEach(Talk::assertPrefixEchoed);
        assertEquals(0, count[0]);
        assertEquals(0, server.connections());
    }
}
