package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.EventLoop;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// When a check asks, and what it makes of answers; in virtual time.
class CheckTest {
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Health HEALTH = Health.tcp()
            .interval(INTERVAL)
            .jitterPercent(0)
            .timeout(Duration.ofSeconds(1))
            .healthyThreshold(2)
            .unhealthyThreshold(3);

    /// Answers as a test says, and remembers when it was asked.
    private static final class Answering implements Probe {
        final List<Duration> asked = new ArrayList<>();
        private final Simulation network;
        private Supplier<CompletionStage<Finding>> answer = () -> stage(true);
        private boolean isClosed;

        Answering(Simulation network) {
            this.network = network;
        }

        @Override
        public CompletionStage<Finding> ask() {
            assertFalse(isClosed);
            asked.add(network.now());
            return answer.get();
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static CompletionStage<Probe.Finding> stage(boolean isGood) {
        return CompletableFuture.completedStage(new Probe.Finding(isGood, isGood ? "fine" : "bad"));
    }

    /// A backend that is checked.
    private static final class World implements AutoCloseable {
        final Simulation network;
        final Answering probe;
        final Backends upstream;
        final HealthChecks checks;

        World(long seed, Health health) {
            network = new Simulation(seed);
            probe = new Answering(network);
            var loop = (EventLoop) network.loops().next();
            upstream = Upstreams.of(Balance.ROUND_ROBIN, health, UpstreamLimits.standard(), seed, Upstreams.equal(1));
            checks = new HealthChecks(upstream, loop, _ -> probe, seed);
        }

        boolean isHealthy() {
            return upstream.members().getFirst().isAble();
        }

        /// Until the first answer, which is within a second.
        World begun() {
            network.advance(Duration.ofSeconds(2));
            assertEquals(1, probe.asked.size());
            return this;
        }

        /// The next answers, one in each interval.
        World answered(boolean... good) {
            for (boolean isGood : good) {
                probe.answer = () -> stage(isGood);
                network.advance(INTERVAL);
            }
            return this;
        }

        @Override
        public void close() {
            checks.close();
            network.advance(Duration.ofSeconds(1));
            assertTrue(probe.isClosed || probe.asked.isEmpty());
            network.close();
        }
    }

    @Test
    void the_first_answer_decides_at_once() {
        try (var world = new World(1, HEALTH)) {
            world.probe.answer = () -> stage(false);
            assertTrue(world.isHealthy());
            assertFalse(world.begun().isHealthy());
        }
    }

    @Test
    void a_backend_may_have_to_show_that_it_is_well_first() {
        try (var world = new World(1, HEALTH.initiallyHealthy(false))) {
            assertFalse(world.isHealthy());
            assertTrue(world.begun().isHealthy());
        }
    }

    @Test
    void it_takes_several_bad_answers_in_a_row() {
        try (var world = new World(1, HEALTH)) {
            assertTrue(world.begun().answered(false, false).isHealthy());
            assertTrue(world.answered(true, false, false).isHealthy());
            assertFalse(world.answered(false).isHealthy());
        }
    }

    @Test
    void it_takes_several_good_answers_in_a_row_to_come_back() {
        try (var world = new World(1, HEALTH)) {
            assertFalse(world.begun().answered(false, false, false).isHealthy());
            assertFalse(world.answered(true, false, true).isHealthy());
            assertTrue(world.answered(true).isHealthy());
        }
    }

    @Test
    void no_answer_in_time_is_a_bad_one_and_the_guard_counts() {
        try (var world = new World(1, HEALTH)) {
            long before = ProxyGuards.UPSTREAM_HEALTH_TIMEOUT.count();
            world.probe.answer = CompletableFuture::new;
            world.network.advance(Duration.ofSeconds(3));
            assertFalse(world.isHealthy());
            assertEquals(before + 1, ProxyGuards.UPSTREAM_HEALTH_TIMEOUT.count());
            assertEquals(
                    "no answer within 1000 ms",
                    world.upstream.members().getFirst().finding());
        }
    }

    @Test
    void an_answer_that_comes_too_late_counts_for_nothing() {
        try (var world = new World(1, HEALTH)) {
            var late = new ArrayList<CompletableFuture<Probe.Finding>>();
            world.probe.answer = () -> {
                late.add(new CompletableFuture<>());
                return late.getLast();
            };
            world.network.advance(Duration.ofSeconds(3));
            world.network.loops().next().execute(() -> late.getFirst().complete(new Probe.Finding(true, "late")));
            world.network.advance(Duration.ofSeconds(1));
            assertFalse(world.isHealthy());
            assertEquals(1, world.probe.asked.size());
        }
    }

    @Test
    void an_answer_that_comes_when_checks_are_about_to_end_counts_for_nothing() {
        try (var world = new World(1, HEALTH)) {
            world.probe.answer = () -> stage(false);
            assertFalse(world.begun().isHealthy());
            var late = new CompletableFuture<Probe.Finding>();
            world.probe.answer = () -> late;
            while (world.probe.asked.size() < 2) world.network.advance(Duration.ofMillis(100));
            world.upstream.become(Balance.ROUND_ROBIN, Health.passive(), UpstreamLimits.standard(), Upstreams.START);
            late.complete(new Probe.Finding(false, "late"));
            world.checks.close();
            world.network.advance(Duration.ofMinutes(1));
            assertEquals(2, world.probe.asked.size());
            assertTrue(world.isHealthy());
            assertTrue(world.upstream.members().getFirst().isHealthy());
            assertEquals("not checked", world.upstream.members().getFirst().finding());
        }
    }

    @Test
    void a_probe_that_throws_is_a_bad_answer() {
        try (var world = new World(1, HEALTH)) {
            world.probe.answer = () -> {
                throw new IllegalArgumentException("no such path");
            };
            assertFalse(world.begun().isHealthy());
            assertEquals("no such path", world.upstream.members().getFirst().finding());
        }
    }

    @Test
    void waits_are_longer_or_shorter_by_at_most_the_jitter() {
        for (long seed = 1; seed <= 20; seed++) {
            try (var world = new World(seed, HEALTH.jitterPercent(30))) {
                world.network.advance(Duration.ofMinutes(10));
                var asked = world.probe.asked;
                assertTrue(asked.getFirst().compareTo(Duration.ofMillis(1100)) < 0);
                var waits = new ArrayList<Long>();
                for (int i = 1; i < asked.size(); i++) {
                    waits.add(asked.get(i).minus(asked.get(i - 1)).toMillis());
                }
                for (long wait : waits) assertTrue(wait >= 7000 && wait < 13_100, () -> wait + " ms");
                assertTrue(waits.stream().distinct().count() > waits.size() / 2);
            }
        }
    }

    @Test
    void who_leaves_the_list_is_asked_no_more() {
        try (var world = new World(1, HEALTH)) {
            world.begun().upstream.update(List.of(), Upstreams.START);
            world.network.advance(Duration.ofMinutes(5));
            assertEquals(1, world.probe.asked.size());
        }
    }

    @Test
    void without_checks_nobody_is_asked() {
        try (var world = new World(1, Health.passive().initiallyHealthy(false))) {
            world.network.advance(Duration.ofMinutes(5));
            assertEquals(List.of(), world.probe.asked);
            assertTrue(world.isHealthy());
        }
    }
}
