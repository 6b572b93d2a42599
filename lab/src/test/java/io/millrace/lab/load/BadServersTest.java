package io.millrace.lab.load;

import static io.millrace.lab.load.SimulatedLoad.PORT;
import static io.millrace.lab.load.SimulatedLoad.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BadServersTest {
    private static final double OPEN_LOOP = 100;

    @Test
    void one_that_nobody_runs_ends_the_load_with_a_sentence() {
        Simulation.forEachSeed(20, network -> {
            var load = new SimulatedLoad(network, settings());
            var failure = assertThrows(IOException.class, load::result);
            assertTrue(failure.toString().contains(" cannot be made: "), failure::toString);
            assertTrue(failure.toString().contains("refused"), failure::toString);
        });
    }

    @Test
    void one_that_refuses_some_ends_the_load_with_a_sentence() {
        Simulation.forEachSeed(20, network -> {
            network.refusals(0.5).listen(PORT, conn -> in -> conn.output().move(in));
            var load = new SimulatedLoad(network, settings());
            var failure = assertThrows(IOException.class, load::result);
            assertTrue(failure.toString().contains(" cannot be made: "), failure::toString);
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, OPEN_LOOP})
    void one_that_closes_is_an_error_for_each_connection(double rate) {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> {
                in.skip(in.remaining());
                conn.close();
            });
            var settings = rate(settings().connections(5), rate).duration(Duration.ofSeconds(5));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(0, result.messages());
            assertEquals(5, result.errors());
            assertTrue(result.firstError().matches("the server ended connection \\d|.*reset.*"), result.firstError());
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, OPEN_LOOP})
    void one_that_resets_is_an_error_with_its_cause(double rate) {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> conn.abort());
            var settings = rate(settings().connections(5), rate).duration(Duration.ofSeconds(5));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(5, result.errors());
            assertTrue(result.firstError().matches("connection \\d was closed: .*reset.*"), result.firstError());
        });
    }

    @Test
    void one_that_never_answers_costs_every_message_of_a_closed_loop() {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> in.skip(in.remaining()));
            var settings = settings().connections(5).depth(3).duration(Duration.ofSeconds(1));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(0, result.messages());
            assertEquals(15, result.errors());
            assertTrue(
                    result.firstError().matches("\\d+ messages were not answered within 10.0 s"), result.firstError());
        });
    }

    @Test
    void one_that_never_answers_costs_every_message_of_an_open_loop() {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> in.skip(in.remaining()));
            var settings = settings().connections(5).rate(OPEN_LOOP).duration(Duration.ofSeconds(1));
            var result = new SimulatedLoad(network, settings.patience(Duration.ofSeconds(3))).result();
            assertEquals(0, result.messages());
            assertEquals(100, result.errors());
        });
    }

    @Test
    void one_that_stops_answering_ends_a_load_that_counts() {
        Simulation.forEachSeed(20, network -> {
            network.listen(PORT, conn -> in -> in.skip(in.remaining()));
            var result = new SimulatedLoad(network, settings().connections(4).messages(1000)).result();
            assertEquals(0, result.messages());
            assertEquals(4, result.errors());
        });
    }

    @Test
    void one_that_fails_on_one_connection_leaves_the_others() {
        Simulation.forEachSeed(20, network -> {
            var opened = new int[1];
            network.listen(PORT, conn -> {
                boolean isBad = opened[0]++ == 1;
                return in -> {
                    if (isBad) conn.abort();
                    else conn.output().move(in);
                };
            });
            var settings = settings().connections(3).messages(100).warmUp(Duration.ofMillis(1));
            var result = new SimulatedLoad(network, settings).result();
            assertEquals(1, result.errors());
            assertTrue(result.messages() > 0 && result.messages() <= 100, () -> "" + result.messages());
        });
    }

    private static LoadSettings rate(LoadSettings settings, double rate) {
        return rate == 0 ? settings : settings.rate(rate);
    }
}
