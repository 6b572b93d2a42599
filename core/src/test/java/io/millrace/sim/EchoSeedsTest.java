package io.millrace.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever the network does to honest peers, an echo gives back what it got, in every style.
@Tag("simulation")
class EchoSeedsTest {
    static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    static final Session DIRECT_ECHO = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    @Test
    void handlers_on_the_loop_echo() {
        Simulation.forEachSeed(150, network -> assertHandlersEcho(network, Dispatch.loop()));
    }

    @Test
    void handlers_on_a_pool_echo() {
        Simulation.forEachSeed(150, network -> assertHandlersEcho(network, Dispatch.pool(1 + network.random(3))));
    }

    @Test
    void handlers_on_a_pool_without_carriers_echo() {
        Simulation.forEachSeed(
                20,
                SimulationSettings.standard().carriers(0),
                network -> assertHandlersEcho(network, Dispatch.pool(2)));
    }

    @Test
    void handlers_on_virtual_threads_echo() {
        Simulation.forEachSeed(150, network -> assertHandlersEcho(network, Dispatch.virtual()));
    }

    @Test
    void handlers_on_virtual_threads_without_carriers_echo() {
        Simulation.forEachSeed(
                20,
                SimulationSettings.standard().carriers(0),
                network -> assertHandlersEcho(network, Dispatch.virtual()));
    }

    @Test
    void sessions_echo() {
        Simulation.forEachSeed(100, network -> assertSessionsEcho(network));
    }

    @Test
    void sessions_without_carriers_echo() {
        Simulation.forEachSeed(40, SimulationSettings.standard().carriers(0), network -> assertSessionsEcho(network));
    }

    private static void assertHandlersEcho(Simulation network, Dispatch dispatch) {
        var handlers = Watched.handlers(ECHO);
        var server = Tcp.listen(network.on(7).dispatch(dispatch), handlers);
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        Talk.finishAll(talks);
        talks.forEach(Talk::assertEchoed);
        assertEquals(Collections.nCopies(talks.size(), Watched.ORDERLY), handlers.ends);
        assertEquals(0, server.connections());
    }

    private static void assertSessionsEcho(Simulation network) {
        var server = network.serve(7, DIRECT_ECHO);
        var talks = Talk.some(network, 7);
        Talk.ramble(network, talks);
        Talk.finishAll(talks);
        talks.forEach(Talk::assertEchoed);
        assertEquals(0, server.connections());
    }
}
