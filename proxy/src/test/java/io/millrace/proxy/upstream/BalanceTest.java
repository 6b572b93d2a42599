package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Whatever the rule: who is chosen.
class BalanceTest {
    private static final long NOW = Upstreams.START;

    @ParameterizedTest
    @EnumSource
    void shares_are_as_the_weights_say(Balance.Way way) {
        Upstreams.forEachSeed(20, random -> {
            var weights = random.ints(1 + random.nextInt(10), 1, 9).toArray();
            var upstream = Upstreams.of(
                    Balance.of(way),
                    Health.passive(),
                    UpstreamLimits.standard(),
                    random.nextLong(),
                    Upstreams.weighted(weights));
            var counts = Upstreams.chosen(upstream, 50_000, NOW);
            double unit = 50_000.0 / Arrays.stream(weights).sum();
            for (int i = 0; i < weights.length; i++) {
                double expected = unit * weights[i];
                int count = counts[i];
                assertTrue(
                        Math.abs(count - expected) < 0.1 * expected + 50,
                        () -> count + " instead of " + expected + " of " + Arrays.toString(weights));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void nobody_is_chosen_who_was_tried_or_is_away_or_full(Balance.Way way) {
        Upstreams.forEachSeed(200, random -> {
            var upstream = upstream(way, random);
            var members = upstream.members();
            var tried = new ArrayList<Backend>();
            var never = new HashSet<Backend>();
            for (var backend : members) {
                switch (random.nextInt(6)) {
                    case 0 -> tried.add(backend);
                    case 1 -> upstream.found(backend, false, "ill", NOW);
                    case 2 -> Upstreams.fail(backend, 5, NOW);
                    case 3 -> fill(backend);
                    default -> {}
                }
                if (!backend.isAble() || !backend.requests().hasRoom() || tried.contains(backend)) never.add(backend);
            }
            for (int i = 0; i < 200; i++) {
                var chosen = upstream.choose(random.nextLong(), tried, NOW);
                if (never.size() == members.size()) assertNull(chosen);
                else assertNotNull(chosen);
                assertFalse(never.contains(chosen), () -> chosen + " was chosen");
            }
        });
    }

    private static Backends upstream(Balance.Way way, SplittableRandom random) {
        var endpoints =
                Upstreams.weighted(random.ints(1 + random.nextInt(12), 1, 5).toArray());
        endpoints.replaceAll(endpoint -> new io.millrace.proxy.backend.Endpoint(
                endpoint.address(), endpoint.weight(), random.nextInt(3), random.nextBoolean() ? "here" : "there"));
        return Upstreams.of(
                Balance.of(way).zone("here"),
                Health.tcp().maxEjectedPercent(100),
                UpstreamLimits.standard().requestsPerBackend(3),
                random.nextLong(),
                endpoints);
    }

    private static void fill(Backend backend) {
        while (backend.began()) assertTrue(backend.requests().taken() <= 3);
    }

    @ParameterizedTest
    @EnumSource
    void a_request_that_tries_again_and_again_reaches_everybody_once(Balance.Way way) {
        Upstreams.forEachSeed(100, random -> {
            var upstream = upstream(way, random);
            var tried = new ArrayList<Backend>();
            long key = random.nextLong();
            for (var next = upstream.choose(key, tried, NOW); next != null; next = upstream.choose(key, tried, NOW)) {
                assertFalse(tried.contains(next), next::toString);
                tried.add(next);
            }
            assertEquals(new HashSet<>(upstream.members()), new HashSet<>(tried));
            assertEquals(upstream.members().size(), tried.size());
            assertEquals(NoBackend.ALL_TRIED, upstream.noBackend(tried));
        });
    }

    @ParameterizedTest
    @EnumSource
    void when_all_are_ill_nobody_is_chosen(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way), Upstreams.equal(3));
        for (var backend : upstream.members()) upstream.found(backend, false, "ill", NOW);
        assertNull(upstream.choose(1, List.of(), NOW));
        assertEquals(NoBackend.NONE_HEALTHY, upstream.noBackend(List.of()));
    }

    @ParameterizedTest
    @EnumSource
    void without_a_list_nobody_is_chosen(Balance.Way way) {
        var upstream = Upstreams.of(Balance.of(way), List.of());
        assertNull(upstream.choose(1, List.of(), NOW));
        assertEquals(NoBackend.NONE_LISTED, upstream.noBackend(List.of()));
    }

    @Test
    void a_round_visits_everybody_before_anybody_twice() {
        Upstreams.forEachSeed(50, random -> {
            int count = 1 + random.nextInt(30);
            var upstream = Upstreams.of(
                    Balance.ROUND_ROBIN,
                    Health.passive(),
                    UpstreamLimits.standard(),
                    random.nextLong(),
                    Upstreams.equal(count));
            for (int round = 0; round < 5; round++) {
                var visited = new HashSet<Backend>();
                for (int i = 0; i < count; i++) visited.add(upstream.choose(0, List.of(), NOW));
                assertEquals(count, visited.size());
            }
        });
    }

    @Test
    void the_least_loaded_for_its_weight_is_chosen() {
        Upstreams.forEachSeed(200, random -> {
            var weights = random.ints(1 + random.nextInt(8), 1, 5).toArray();
            var upstream = Upstreams.of(Balance.LEAST_REQUESTS, Upstreams.weighted(weights));
            for (int i = 0; i < 100; i++) {
                var chosen = upstream.choose(0, List.of(), NOW);
                assertNotNull(chosen);
                double least = upstream.members().stream()
                        .mapToDouble(BalanceTest::load)
                        .min()
                        .orElseThrow();
                assertEquals(least, load(chosen));
                assertTrue(chosen.began());
                var any = upstream.members().get(random.nextInt(weights.length));
                if (any.requests().taken() > 0 && random.nextBoolean()) any.ended(Outcome.SUCCESS, 1, NOW);
            }
        });
    }

    private static double load(Backend backend) {
        return (double) backend.requests().taken() / backend.endpoint().weight();
    }

    @Test
    void two_choices_keep_away_from_the_busiest() {
        var upstream = Upstreams.of(Balance.TWO_CHOICES, Upstreams.equal(10));
        var busy = upstream.members().getFirst();
        assertTrue(busy.began());
        // It is drawn first in a tenth of the cases, and then another one is at least as good.
        assertEquals(0, Upstreams.chosen(upstream, 10_000, NOW)[0]);
    }

    @Test
    void among_a_hundred_two_choices_leave_nobody_far_behind() {
        Upstreams.forEachSeed(10, random -> {
            var upstream = Upstreams.of(
                    Balance.TWO_CHOICES,
                    Health.passive(),
                    UpstreamLimits.standard(),
                    random.nextLong(),
                    Upstreams.equal(100));
            for (int i = 0; i < 10_000; i++) {
                var chosen = upstream.choose(0, List.of(), NOW);
                assertTrue(chosen != null && chosen.began());
            }
            // Luck alone leads to about 130.
            for (var backend : upstream.members()) assertTrue(backend.requests().taken() <= 106, backend::toString);
        });
    }
}
